package compute_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

func parsed(t *testing.T, text string) compute.Expr {
	t.Helper()
	e, err := compute.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestNames(t *testing.T) {
	for text, want := range map[string][]string{
		"1 + 2":                              nil,
		"b + a*b":                            {"b", "a"},
		"`a/b`[::2].T + sum(c, where=d)":     {"a/b", "c", "d"},
		"x.astype(int8)[mask, 1:n]":          {"x", "mask", "n"},
		"where(a > pi, norm(b, \"fro\"), 0)": {"a", "b"},
		"x[[1, k]] + arange(n, dtype=int8)":  {"x", "k", "n"},
	} {
		if diff := cmp.Diff(want, parsed(t, text).Names()); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestSubstitute(t *testing.T) {
	with := map[string]compute.Expr{
		"a": compute.Name("g/a"), "b": compute.Name("a"), "k": compute.Variable(dtype.ScalarOf(int64(3))),
		"f": compute.Variable(dtype.ScalarOf(float32(0.5))), "s": parsed(t, "x + y"),
	}
	for text, want := range map[string]string{
		"a + b":           "`g/a` + a",
		"c * 2":           "c * 2",
		"k * s":           "3 * (x + y)",
		"c[a, 1:k].T":     "c[`g/a`, 1:3].T",
		"sum(s, where=b)": "sum(x + y, where=a)",
		"c[[1, k]]":       "c[[1, 3]]",
	} {
		got := parsed(t, text).Substitute(func(name string) (compute.Expr, bool) { e, ok := with[name]; return e, ok })
		if got.String() != parsed(t, want).String() {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
}
