package compute_test

import (
	"strings"
	"testing"

	. "github.com/tstore/tstore/compute"
)

// TestAxisNames checks that the name of an axis stands wherever its number does.
func TestAxisNames(t *testing.T) {
	a, v := array(t, []float64{5, 2, 3, 4, 1, 6, 7, 9, 8, 10, 12, 11}, 2, 2, 3), array(t, []float64{1, 2, 3})
	env := names{"a": a, "v": v, "bare": a}.env()
	env.Dims = func(name string) []string {
		return map[string][]string{"a": {"time", "lat", "lon"}, "v": {"lon"}, "half": {"", "lat", ""}, "lazy": {"lat", "lon"}}[name]
	}
	lazy, err := Parse(`mean(a, axis="time")`)
	if err != nil {
		t.Fatal(err)
	}
	env.Expand = func(name string) (Expr, bool, error) { return lazy, name == "lazy", nil }

	for named, numbered := range map[string]string{
		`mean(a, axis="time")`:                           `mean(a, axis=0)`,
		`a.mean(axis=('lat', 'lon'))`:                    `a.mean(axis=(1, 2))`,
		`a.mean(axis=(0, "lon"))`:                        `a.mean(axis=(0, 2))`,
		`sum(a, "lat", keepdims=True)`:                   `sum(a, 1, keepdims=True)`,
		`argmax(a, axis="lat")`:                          `argmax(a, axis=1)`,
		`norm(a, axis=("lat", "lon"))`:                   `norm(a, axis=(1, 2))`,
		`median(a, axis="time")`:                         `median(a, axis=0)`,
		`softmax(a, axis="lon")`:                         `softmax(a, axis=2)`,
		`average(a, axis="lon", weights=v)`:              `average(a, axis=2, weights=v)`,
		`sort(a, axis="time")`:                           `sort(a, axis=0)`,
		`cumsum(a, "lat")`:                               `cumsum(a, 1)`,
		`diff(a, axis="lon")`:                            `diff(a, axis=2)`,
		`gradient(a, axis="lon")`:                        `gradient(a, axis=2)`,
		`move_mean(a, 2, "time")`:                        `move_mean(a, 2, 0)`,
		`trace(a, 0, "time", "lat")`:                     `trace(a, 0, 0, 1)`,
		`cross(a, v, axis="lon")`:                        `cross(a, v, axis=-1)`,
		`concatenate([a, a + 1], axis="lat")`:            `concatenate([a, a + 1], axis=1)`,
		`mean(a.T[::2] + 1, axis="lon")`:                 `mean(a.T[::2] + 1, axis=0)`,
		`a.sum("time").sum("lon")`:                       `a.sum(0).sum(1)`,
		`(a - a.mean("time", keepdims=True)).std("lat")`: `(a - a.mean(0, keepdims=True)).std(1)`,
		`lazy.max(axis="lat")`:                           `lazy.max(axis=0)`,
		`b = a * 2; c = b[0].sum(axis="lon")`:            `b = a * 2; c = b[0].sum(axis=1)`,
	} {
		got, want := newPlan(t, named, env, nil), newPlan(t, numbered, env, nil)
		runPlan(t, got)
		runPlan(t, want)
		outs, wants := got.Outputs(), want.Outputs()
		last := len(outs) - 1
		if g, w := text(t, got.Result(last)), text(t, want.Result(last)); g != w {
			t.Errorf("%s: got %s, want %s", named, g, w)
		}
		if g, w := strings.Join(outs[last].Dims, " "), strings.Join(wants[last].Dims, " "); g != w {
			t.Errorf("%s: axes %s, want %s", named, g, w)
		}
	}
}

// TestManyAxisNames checks that a call which names an axis is no dearer the more of them are inside.
func TestManyAxisNames(t *testing.T) {
	env := names{"a": array(t, []float64{1, 2, 3})}.env()
	env.Dims = func(string) []string { return []string{"time"} }
	p := newPlan(t, "a"+strings.Repeat(`.sort("time")`, 60), env, nil)
	if dims := p.Outputs()[0].Dims; len(dims) != 1 || dims[0] != "time" {
		t.Errorf("axes %q", dims)
	}
}

// TestAxisNameErrors checks that the error for a wrong name lists those that there are.
func TestAxisNameErrors(t *testing.T) {
	a := array(t, []float64{1, 2, 3, 4, 5, 6}, 2, 3)
	env := names{"a": a, "half": a, "bare": a}.env()
	env.Dims = func(name string) []string { return map[string][]string{"a": {"lat", "lon"}, "half": {"", "lon"}}[name] }

	for text, want := range map[string]string{
		`mean(a, axis="time")`:          `no axis is named "time": the axes are lat, lon`,
		`a.mean(axis=("lat", "tme"))`:   `no axis is named "tme": the axes are lat, lon`,
		`sort(half, axis="lat")`:        `no axis is named "lat": the axes are 0, lon`,
		`mean(half, axis="")`:           `no axis is named ""`,
		`sum(bare, axis="lat")`:         `no axis is named "lat": the axes have no names, but numbers from 0 to 1`,
		`sum(a.ravel(), "lat")`:         `the axis has no name, but number 0`,
		`sum(sum(a), "lat")`:            `the array has no axes`,
		`a.sum(axis=("lat", "lat"))`:    `axis names an axis twice`,
		`a.sum(axis=("lat", 0))`:        `axis names an axis twice`,
		`sum(a @ a.T, axis="lat")`:      `several axes are named "lat": the axes are lat, lat`,
		`stack([a, a], axis="lat")`:     `expected its number`,
		`argmax(a, axis=("lat",))`:      `takes one axis`,
		`mean(a, keepdims="lat")`:       `is text`,
		`concatenate([], axis="lat")`:   `a`,
		`a.sum(axis=("lat", ("lon",)))`: `a`,
	} {
		e, err := ParseProgram(text)
		if err == nil {
			_, err = NewPlan(t.Context(), e, env, nil)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}
