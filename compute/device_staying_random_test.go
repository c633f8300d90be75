package compute

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
)

// squareExpression returns a random expression of square matrices, whose nodes are kept here and
// there.
func squareExpression(r *rand.Rand, names []string, depth int) string {
	if depth == 0 {
		return names[r.IntN(len(names))]
	}
	e := func() string { return squareExpression(r, names, depth-1) }
	switch r.IntN(9) {
	case 0, 1:
		return fmt.Sprintf("(%s @ %s)", e(), e())
	case 2:
		return fmt.Sprintf("(%s + %s*2)", e(), e())
	case 3:
		return e() + ".T"
	case 4:
		return fmt.Sprintf("roll(%s, %d, %d)", e(), r.IntN(9), r.IntN(2))
	case 5:
		return fmt.Sprintf("(%s)[::-1]", e())
	case 6:
		return fmt.Sprintf("(%s - sum(%s, axis=%d))", e(), e(), r.IntN(2))
	case 7:
		return fmt.Sprintf("abs(%s)", e())
	default:
		return fmt.Sprintf("(%s*max(%s))", e(), e())
	}
}

// squareProgram returns some statements, of which some write in place.
func squareProgram(r *rand.Rand) string {
	names := []string{"a", "b", "c"}
	var all []string
	for i := range 1 + r.IntN(3) {
		value := squareExpression(r, names, 1+r.IntN(3))
		switch r.IntN(4) {
		case 0:
			all = append(all, "a += "+value)
		case 1:
			all = append(all, "b[...] = "+value)
		default:
			all = append(all, fmt.Sprintf("u%d = %s", i, value))
			names = append(names, fmt.Sprint("u", i))
		}
	}
	return strings.Join(append(all, squareExpression(r, names, 2)), "; ")
}

// Random programs whose passes keep nodes, of operands in any place, make and store the bits of the
// CPU, with much memory and with little.
func TestRandomKept(t *testing.T) {
	seeds := uint64(25)
	if raceEnabled {
		seeds = 3
	}
	if *Long {
		seeds = 1500
	}
	stayed := 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 3))
		dt := []dtype.Type{dtype.Float32, dtype.Int16, dtype.Float64, dtype.Complex64}[r.IntN(4)]
		text := squareProgram(r)
		if dt == dtype.Complex64 { // which have no order
			text = strings.ReplaceAll(strings.ReplaceAll(text, "max(", "sum("), "abs(", "conj(")
		}
		p := newOperands(t, dt, 9, 9)
		host := newOperands(t, dt, 9, 9)
		types, want, _, err := host.results(t, text, 1, nil)
		if bad := (*ExprError)(nil); errors.As(err, &bad) {
			continue
		}
		if err != nil {
			t.Fatalf("seed %d: %s: %v", seed, text, err)
		}
		memory := []int64{64 << 20, 2 << 20}[r.IntN(2)]
		d := devicetest.New(&devicetest.Options{Seed: seed, MemoryBytes: memory})
		q, end := p.moved(t, d, []string{"", "abc", "a", "bc"}[r.IntN(4)])
		_, got, explained, err := q.results(t, text, 1, &Options{Device: d, Parallelism: 1 + r.IntN(3)})
		if _, short := errors.AsType[*device.MemoryError](err); short && memory < 4<<20 {
			end()
			finish(t, d)
			continue
		}
		if err == nil {
			err = sameResults(types, got, want)
		}
		for name, x := range q.operands {
			if err == nil {
				err = sameElements(dt, stored(t, x), stored(t, host.operands[name]))
			}
		}
		if s := d.Stats(); err != nil || s.MostBytes > memory {
			t.Fatalf("seed %d: %s of %v: %v, %d of %d bytes", seed, text, dt, err, s.MostBytes, memory)
		}
		if strings.Contains(explained, "kept on gpu:0 ") {
			stayed++
		}
		end()
		finish(t, d)
	}
	if stayed == 0 {
		t.Error("nothing stayed on the device")
	}
}
