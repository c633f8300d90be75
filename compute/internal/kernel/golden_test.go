package kernel_test

import (
	"bufio"
	"compress/gzip"
	"encoding/hex"
	"math"
	"os"
	"strings"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// TestGolden compares with what NumPy makes of values at which operations differ, made by
// testdata/golden.py.
func TestGolden(t *testing.T) {
	f, err := os.Open("testdata/golden/elementwise.txt.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	cases, lines := 0, bufio.NewScanner(unpacked)
	lines.Buffer(nil, 1<<20)
	for ; lines.Scan(); cases++ {
		fields := strings.Fields(lines.Text())
		t.Run(fields[0]+"/"+fields[1], func(t *testing.T) { checkGolden(t, fields) })
	}
	if lines.Err() != nil || cases < 300 {
		t.Errorf("%d golden cases read, want 300 at least; error %v", cases, lines.Err())
	}
}

func checkGolden(t *testing.T, fields []string) {
	op, typ, result := opNamed(t, fields[0]), typeNamed(t, fields[1]), typeNamed(t, fields[4])
	if got := kernel.ResultType(op, typ); got != result {
		t.Fatalf("the result's type is %v, NumPy's is %v", got, result)
	}
	a, b, want := fromHex(t, fields[2]), []byte(nil), fromHex(t, fields[5])
	if fields[3] != "-" {
		b = fromHex(t, fields[3])
	}
	n := len(want) / result.Size()
	for name, fn := range map[string]kernel.Func{"Generic": kernel.Generic(op, typ, 0), "Lookup": kernel.Lookup(op, typ, 0)} {
		got := make([]byte, len(want))
		fn(address(got), address(a), address(b), nil, nil, n)
		wrong := 0
		for i := 0; i < n && wrong < 10; i++ {
			g, w := got[i*result.Size():][:result.Size()], want[i*result.Size():][:result.Size()]
			if !sameValue(g, w, result) && !(rounds(op, typ) && closeEnough(g, w, result)) {
				wrong++
				t.Errorf("%s of %s is %s, NumPy's is %s", name, showArgs(typ, i, a, b), show(dtype.Load(result, g)), show(dtype.Load(result, w)))
			}
		}
	}
}

// rounds reports whether results may differ from NumPy's in the last digits: those of complex
// numbers whose functions call others that round.
func rounds(op kernel.Op, typ dtype.Type) bool {
	if typ.Kind() != dtype.KindComplex {
		return false
	}
	return op == kernel.Abs || op == kernel.Sign || op == kernel.Angle || op == kernel.Pow || op >= kernel.Sqrt && op <= kernel.Atanh
}

// closeEnough reports whether two elements differ by no more than some units in the last place of
// the larger part. Zeros have the same sign, and what is not finite is the same.
func closeEnough(got, want []byte, typ dtype.Type) bool {
	g, w := dtype.Load(typ, got).Complex128(), dtype.Load(typ, want).Complex128()
	unit := 0x1p-52
	if typ == dtype.Complex64 || typ == dtype.Float32 {
		unit = 0x1p-23
	}
	most := 8 * unit * max(math.Abs(real(w)), math.Abs(imag(w)))
	return near(real(g), real(w), most) && near(imag(g), imag(w), most)
}

func near(got, want, most float64) bool {
	switch {
	case want != want:
		return got != got
	case math.IsInf(want, 0) || want == 0:
		return got == want && math.Signbit(got) == math.Signbit(want)
	}
	return math.Abs(got-want) <= most
}

// showArgs shows element i of the operands that are there.
func showArgs(typ dtype.Type, i int, operands ...[]byte) string {
	var text []string
	for _, b := range operands {
		if b != nil {
			text = append(text, show(dtype.Load(typ, b[i*typ.Size():])))
		}
	}
	return strings.Join(text, ", ")
}

func opNamed(t *testing.T, name string) kernel.Op {
	for op := range kernel.NumOps {
		if op.String() == name {
			return op
		}
	}
	t.Fatalf("no operation is called %q", name)
	return kernel.Invalid
}

func typeNamed(t *testing.T, name string) dtype.Type {
	typ, err := dtype.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// fromHex returns bytes aligned for any type.
func fromHex(t *testing.T, text string) []byte {
	words := make([]uint64, len(text)/16+1)
	b := unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(text)/2)
	if _, err := hex.Decode(b, []byte(text)); err != nil {
		t.Fatal(err)
	}
	return b
}
