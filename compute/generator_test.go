package compute_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

// generate returns n elements of g from the one at index first on, through odd pieces.
func generate(t *testing.T, g *compute.Generator, first int64, n int) []byte {
	t.Helper()
	size := g.DType().Size()
	b := make([]byte, n*size)
	for done := 0; done < len(b); {
		end := min(done+7, len(b))
		if _, err := g.ReadAt(b[done:end], first*int64(size)+int64(done)); err != nil && err != io.EOF {
			t.Fatal(err)
		}
		done = end
	}
	return b
}

// texts returns packed elements as NumPy prints them.
func texts(dt dtype.Type, b []byte) string {
	var words []string
	for ; len(b) > 0; b = b[dt.Size():] {
		words = append(words, dtype.Load(dt, b).String())
	}
	return strings.Join(words, " ")
}

func TestRandomGolden(t *testing.T) {
	data, err := os.ReadFile("testdata/random_golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[dtype.Type]bool{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		field := strings.Split(strings.TrimSpace(line), "\t")
		dt, err := dtype.Parse(field[0])
		if err != nil {
			t.Fatal(err)
		}
		seed, err1 := strconv.ParseUint(field[1], 10, 64)
		first, err2 := strconv.ParseInt(field[2], 10, 64)
		want, err3 := hex.DecodeString(field[3])
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		g, err := compute.Random(dt, seed)
		if err != nil {
			t.Fatal(err)
		}
		if got := generate(t, g, first, len(want)/dt.Size()); !bytes.Equal(got, want) {
			t.Errorf("%v, seed %d, from %d: got %s, want %s", dt, seed, first, texts(dt, got), texts(dt, want))
		}
		seen[dt] = true
	}
	if len(seen) != len(dtype.All()) {
		t.Errorf("golden values of %d types, there are %d", len(seen), len(dtype.All()))
	}
}

func TestRandomIsUniform(t *testing.T) {
	const n = 1 << 16
	for _, dt := range dtype.All() {
		g, err := compute.Random(dt, 5)
		if err != nil {
			t.Fatal(err)
		}
		b := make([]byte, n*dt.Size())
		if _, err := io.ReadFull(g, b); err != nil {
			t.Fatal(err)
		}
		lo, width := 0.0, 1.0
		switch dt.Kind() {
		case dtype.KindInt:
			width = math.Ldexp(1, 8*dt.Size())
			lo = -width / 2
		case dtype.KindUint:
			width = math.Ldexp(1, 8*dt.Size())
		}
		sum := 0.0
		for i := range n {
			v := (dtype.Load(dt, b[i*dt.Size():]).Float64() - lo) / width
			if v < 0 || v > 1 {
				t.Fatalf("%v: element %d is outside the range", dt, i)
			}
			sum += v
		}
		// The mean of a fair coin deviates most: by 0.002 at one sigma. The coarse floats lie low
		// by half a step.
		if mean := sum / n; mean < 0.43 || mean > 0.51 {
			t.Errorf("%v: mean at %v of the range", dt, mean)
		}
	}
}

func TestRandomReadsOnward(t *testing.T) {
	g, err := compute.Random(dtype.Float64, 3)
	if err != nil {
		t.Fatal(err)
	}
	var read bytes.Buffer
	if _, err := io.CopyBuffer(&read, io.LimitReader(g, 1000), make([]byte, 33)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read.Bytes(), generate(t, g, 0, 125)) {
		t.Error("Read and ReadAt differ")
	}
	taken, err := io.ReadAll(g.Take(125))
	if err != nil || !bytes.Equal(taken, read.Bytes()) {
		t.Errorf("Take and Read differ, error %v", err)
	}
}

func TestArange(t *testing.T) {
	i64 := func(v int64) dtype.Scalar { return dtype.ScalarOf(v) }
	f64 := func(v float64) dtype.Scalar { return dtype.ScalarOf(v) }
	for _, tt := range []struct {
		name        string
		typ         dtype.Type
		start, step dtype.Scalar
		n           int
		want        string
	}{
		{"int", dtype.Int32, i64(0), i64(1), 4, "0 1 2 3"},
		{"empty", dtype.Int32, i64(0), i64(1), 0, ""},
		{"one out of step", dtype.Int8, i64(127), i64(1), 1, "127"},
		{"empty out of range", dtype.Int8, i64(300), i64(1), 0, ""},
		{"whole int8", dtype.Int8, i64(-128), i64(85), 4, "-128 -43 42 127"},
		{"downward unsigned", dtype.Uint8, i64(9), i64(-3), 4, "9 6 3 0"},
		{"uint64 top", dtype.Uint64, dtype.ScalarOf(uint64(math.MaxUint64)), i64(-1), 2, "18446744073709551615 18446744073709551614"},
		{"uint64 leap", dtype.Uint64, i64(1), dtype.ScalarOf(uint64(math.MaxUint64 - 1)), 2, "1 18446744073709551615"},
		{"int64 across", dtype.Int64, i64(math.MinInt64), dtype.ScalarOf(uint64(math.MaxUint64)), 2, "-9223372036854775808 9223372036854775807"},
		{"beyond 2^53", dtype.Int64, i64(1<<53 + 1), i64(2), 2, "9007199254740993 9007199254740995"},
		{"whole float step", dtype.Int16, f64(2), f64(-2), 3, "2 0 -2"},
		{"bool", dtype.Bool, i64(0), i64(1), 2, "False True"},
		{"float16", dtype.Float16, f64(0), f64(0.1), 4, "0.0 0.1 0.2 0.3"},
		{"bfloat16", dtype.BFloat16, f64(1), f64(1), 3, "1.0 2.0 3.0"},
		{"float8", dtype.Float8E4M3FN, f64(448), f64(-1), 1, "448.0"},
		{"float32 rounds once", dtype.Float32, f64(0), f64(0.1), 4, "0.0 0.1 0.2 0.3"},
		{"float64", dtype.Float64, f64(1), f64(0.5), 3, "1.0 1.5 2.0"},
		{"complex", dtype.Complex64, dtype.ScalarOf(1 + 2i), dtype.ScalarOf(0.5 - 1i), 3, "(1+2j) (1.5+1j) (2+0j)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g, err := compute.Arange(tt.typ, tt.start, tt.step, tt.n)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(g)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, texts(tt.typ, b)); diff != "" {
				t.Errorf("elements (-want +got):\n%s", diff)
			}
			if !bytes.Equal(b, generate(t, g, 0, tt.n)) {
				t.Error("ReadAt differs from Read")
			}
		})
	}
}

func TestArangeErrors(t *testing.T) {
	one := dtype.ScalarOf(int64(1))
	for _, tt := range []struct {
		name        string
		typ         dtype.Type
		start, step dtype.Scalar
		n           int
		want        string
	}{
		{"last too large", dtype.Int8, dtype.ScalarOf(int64(120)), one, 9, "128: out of range: int8 holds -128 to 127"},
		{"start too small", dtype.Uint8, dtype.ScalarOf(int64(-1)), one, 2, "-1: out of range: uint8 holds 0 to 255"},
		{"int64 wraps", dtype.Int64, dtype.ScalarOf(int64(math.MaxInt64)), one, 2, "9223372036854775808: out of range"},
		{"bool", dtype.Bool, dtype.ScalarOf(int64(0)), one, 3, "2: out of range: bool holds 0 to 1"},
		{"fraction", dtype.Int32, dtype.ScalarOf(0.5), one, 2, "0.5 is not a 64-bit integer"},
		{"NaN", dtype.Int32, dtype.ScalarOf(math.NaN()), one, 2, "nan is not a 64-bit integer"},
		{"float16", dtype.Float16, dtype.ScalarOf(65504.0), dtype.ScalarOf(16.0), 2, "out of range"},
		{"float8", dtype.Float8E4M3FN, dtype.ScalarOf(448.0), dtype.ScalarOf(32.0), 2, "out of range"},
		{"float64", dtype.Float64, dtype.ScalarOf(0.0), dtype.ScalarOf(math.MaxFloat64), 3, "out of range"},
		{"infinite", dtype.Float64, dtype.ScalarOf(math.Inf(1)), dtype.ScalarOf(-1.0), 3, "out of range"},
		{"negative", dtype.Float64, one, one, -1, "arange of -1 elements of float64: expected 0 to"},
		{"too many", dtype.Float64, one, one, math.MaxInt64, "expected 0 to 1152921504606846975"},
		{"no type", dtype.Invalid, one, one, 1, "no valid dtype"},
		{"no start", dtype.Int8, dtype.Scalar{}, one, 1, "no valid dtype"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := compute.Arange(tt.typ, tt.start, tt.step, tt.n)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if strings.Contains(tt.want, "out of range") && !errors.Is(err, dtype.ErrRange) {
				t.Errorf("error %v is not ErrRange", err)
			}
		})
	}
}

func TestConstant(t *testing.T) {
	for _, dt := range dtype.All() {
		g, err := compute.Constant(dt, dtype.ScalarOf(1.0))
		if err != nil {
			t.Fatal(err)
		}
		one := dtype.ScalarOf(1.0).Convert(dt).String()
		want := strings.TrimSpace(strings.Repeat(one+" ", 50))
		if got := texts(dt, generate(t, g, 12345, 50)); got != want {
			t.Errorf("%v: got %q", dt, got)
		}
		if b, err := io.ReadAll(g.Take(3)); err != nil || len(b) != 3*dt.Size() {
			t.Errorf("%v: Take(3) has %d bytes, error %v", dt, len(b), err)
		}
		if g.Take(-1).Size() != 0 || g.Take(math.MaxInt64).Size() <= 0 {
			t.Errorf("%v: Take does not keep to what there is", dt)
		}
	}
	if _, err := compute.Constant(dtype.Invalid, dtype.ScalarOf(1.0)); err == nil {
		t.Error("no error for an invalid dtype")
	}
	if _, err := compute.Random(dtype.Invalid, 1); err == nil {
		t.Error("no error for an invalid dtype")
	}
}

func BenchmarkRandom(b *testing.B) {
	buf := make([]byte, 1<<20)
	for _, dt := range []dtype.Type{dtype.Uint8, dtype.Float16, dtype.Float32, dtype.Float64} {
		b.Run(dt.String(), func(b *testing.B) {
			g, err := compute.Random(dt, 1)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(buf)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := g.ReadAt(buf, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
