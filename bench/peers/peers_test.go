package main

import (
	"io"
	"math"
	"math/rand/v2"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
)

func TestParseFlags(t *testing.T) {
	tests := []struct {
		name string
		args []string
		side int // 0: an error is wanted
	}{
		{"default", nil, 16384},
		{"a square", []string{"-size", "64MiB"}, 4096},
		{"less than a square", []string{"-size", "70MB"}, 4096},
		{"too small", []string{"-size", "1KiB"}, 0},
		{"not a size", []string{"-size", "big"}, 0},
		{"no rounds", []string{"-rounds", "0"}, 0},
		{"no threads", []string{"-threads", "0"}, 0},
		{"not an expression", []string{"-rows", "("}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := parseFlags(test.args)
			if test.side == 0 {
				if err == nil {
					t.Errorf("parseFlags = %+v, want an error", c)
				}
				return
			}
			if err != nil || c.side != test.side || c.size != 4*int64(test.side)*int64(test.side) {
				t.Errorf("parseFlags = side %d, %d bytes, %v, want side %d", c.side, c.size, err, test.side)
			}
		})
	}
}

// The operands are numbers that no row turns into infinities, whatever type they are taken for.
func TestElementsAreModerate(t *testing.T) {
	const size = 1 << 16
	b := make([]byte, size)
	if _, err := io.ReadFull(iotest.HalfReader(&elements{random: rand.NewPCG(1, 2)}), b); err != nil {
		t.Fatal(err)
	}
	whole := make([]byte, size)
	if _, err := io.ReadFull(&elements{random: rand.NewPCG(1, 2)}, whole); err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(b, whole) {
		t.Error("elements depend on how they are read")
	}
	for _, dt := range []dtype.Type{dtype.Float16, dtype.BFloat16, dtype.Float32, dtype.Float64} {
		for i := 0; i < size; i += dt.Size() {
			if v := dtype.Load(dt, b[i:]).Float64(); math.IsNaN(v) || v <= 0 || v >= 2 {
				t.Fatalf("element %d as %v is %v", i/dt.Size(), dt, v)
			}
		}
	}
}

func TestParseReply(t *testing.T) {
	tests := []struct {
		name, line string
		want       reply
		fails      bool
	}{
		{"done", "ok 0.25 1.5e3", reply{seconds: 0.25, check: 1500}, false},
		{"no such operation", "none", reply{none: true}, false},
		{"failed", "error MemoryError", reply{}, true},
		{"nonsense", "ok soon 1", reply{}, true},
		{"nothing", "", reply{}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := parseReply("numpy", test.line)
			if (err != nil) != test.fails {
				t.Fatalf("error %v", err)
			}
			if !test.fails && got != test.want {
				t.Errorf("parseReply = %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestTableLine(t *testing.T) {
	res := result{row: row{id: "exp", work: "c = exp(a), float32", goal: 1.3}, limit: 0.05, cells: map[string]cell{
		ours:      {seconds: 0.06, check: 2, anon: 1 << 20, watched: true},
		"numpy":   {seconds: 0.3, check: 2.001, anon: 1 << 30, watched: true},
		"numexpr": {seconds: 0.12, check: 3},
		"blosc2":  {failed: "out of memory"},
	}}
	res.compare()
	want := "| c = exp(a), float32 | 0.0500 s | 0.0600 s | 1.20× | 1.30× | 1.0 MiB | 5.00× (1.0 GiB) | ≠ 2.00× | failed | – |\n"
	if diff := cmp.Diff(want, res.tableLine([]string{"numpy", "numexpr", "blosc2", "gonum"})); diff != "" {
		t.Error(diff)
	}
}

// Rows are asked for by their names, so no two may share one.
func TestRowsHaveNamesOfTheirOwn(t *testing.T) {
	seen := map[string]bool{coldRow: true}
	for _, r := range allRows() {
		if seen[r.id] {
			t.Errorf("two rows %q", r.id)
		}
		seen[r.id] = true
	}
}
