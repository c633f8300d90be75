package compute_test

import (
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
)

func TestReads(t *testing.T) {
	for text, want := range map[string]string{
		"1":                              "",
		"x":                              "x",
		"x[:5]*x[5:].T + y":              "x[:5] x[5:].T y",
		"x[:5] + x[:5] + x":              "x[:5] x",
		"(x + y)[:5]":                    "x y",
		"x[1:][::2].reshape(2, 3)":       "x[1:][::2].reshape(2, 3)",
		"where(x[0] > 0, y, z[1].sum())": "x[0] y z[1]",
		"x[i[:2]]":                       "x i[:2]",
		"x[a:b] + `p/q`[3]":              "x a b p/q[3]",
		"zeros_like(x.T, dtype=float32)": "x.T float32",
	} {
		e, err := compute.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range e.Reads() {
			got = append(got, r.Name+r.Chain.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s reads %q, want %q", text, got, want)
		}
	}
}
