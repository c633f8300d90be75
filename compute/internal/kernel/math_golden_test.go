package kernel_test

import (
	"bufio"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// maxULPFloat64 is how far a float64 result may be from the exact one, in units of its last place.
const maxULPFloat64 = 1

// A mathCase is one line of testdata/math_golden.txt.
type mathCase struct {
	line  string
	args  [2]float64
	want  float64
	above float64 // the exact value less want, in last places of want
}

// mathCases holds the cases of each function.
func mathCases(t *testing.T) map[kernel.Op][]mathCase {
	f, err := os.Open("testdata/math_golden.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases := map[kernel.Op][]mathCase{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		op := mathOp(t, fields[0])
		if len(fields) != op.NumOperands()+3 {
			t.Fatalf("%q has %d fields", lines.Text(), len(fields))
		}
		c := mathCase{line: lines.Text()}
		for i := range op.NumOperands() {
			c.args[i] = floatOfHex(t, fields[1+i])
		}
		c.want = floatOfHex(t, fields[len(fields)-2])
		hundredths, err := strconv.Atoi(fields[len(fields)-1])
		if err != nil {
			t.Fatal(err)
		}
		c.above = float64(hundredths) / 100
		cases[op] = append(cases[op], c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

// mathOp returns the operation whose name is text in any case.
func mathOp(t *testing.T, text string) kernel.Op {
	for op := range kernel.NumOps {
		if strings.EqualFold(op.String(), text) {
			return op
		}
	}
	t.Fatalf("no operation is called %q", text)
	return kernel.Invalid
}

func floatOfHex(t *testing.T, text string) float64 {
	bits, err := strconv.ParseUint(text, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return math.Float64frombits(bits)
}

// ulpDistance returns by how many floats of the same size y lies above x; of float64s that differ
// in sign, or not at all in their bits, likewise.
func ulpDistance(x, y float64) float64 {
	return float64(ordinal(y) - ordinal(x))
}

// ordinal numbers the float64s in their order, both zeros 0.
func ordinal(x float64) int64 {
	b := int64(math.Float64bits(x))
	if b < 0 {
		return math.MinInt64 - b
	}
	return b
}

func TestMathGolden(t *testing.T) {
	for op, cases := range mathCases(t) {
		t.Run(op.String(), func(t *testing.T) {
			wrong, worst, worstLine := 0, 0.0, ""
			for i, got := range evaluate(op, cases) {
				c := cases[i]
				ulps := math.Abs(ulpDistance(c.want, got) - c.above)
				if op == kernel.LogAddExp && math.Abs(got-c.want) < 0x1p-57 {
					ulps = 0 // the sum of what cancels
				}
				if !(ulps <= maxULPFloat64) || got != got || c.want == 0 && math.Signbit(got) != math.Signbit(c.want) {
					if wrong++; wrong > 5 {
						continue
					}
					t.Errorf("%s: got %016x = %v, want %v: off by %.2f ulp", c.line, math.Float64bits(got), got, c.want, ulps)
				}
				if ulps > worst {
					worst, worstLine = ulps, c.line
				}
			}
			t.Logf("%d cases, worst %.2f ulp: %s", len(cases), worst, worstLine)
		})
	}
}

// evaluate returns what the kernel written in Go makes of the arguments.
func evaluate(op kernel.Op, cases []mathCase) []float64 {
	n := len(cases)
	a, b, dst := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, c := range cases {
		a[i], b[i] = c.args[0], c.args[1]
	}
	kernel.Generic(op, dtype.Float64, 0)(unsafe.Pointer(&dst[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), nil, nil, n)
	return dst
}
