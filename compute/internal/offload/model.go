package offload

import (
	"fmt"
	"strings"
	"time"

	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/ptx"
)

// A Work is what a device has to do for a pass.
type Work struct {
	In, Out          float64 // bytes to the device and back
	Float32, Float64 float64 // instructions; those on float64, and all others
}

// part returns a share of w.
func (w Work) part(share float64) Work {
	return Work{w.In * share, w.Out * share, w.Float32 * share, w.Float64 * share}
}

// Terms are how long a device is expected to take for each kind of work.
type Terms struct{ In, Out, Host, Arithmetic, Start time.Duration }

// hostTraffic is how many bytes of the host's memory move for each byte that a device is sent or
// returns: it is read, it is written, and the bus takes it or brings it.
const hostTraffic = 3

// Terms returns how long a device takes for w in some parts that follow each other.
func (w Work) Terms(r *measure.Rates, parts int) Terms {
	return Terms{
		In: seconds(w.In / r.Up), Out: seconds(w.Out / r.Down), Host: seconds(hostTraffic * (w.In + w.Out) / r.Host),
		Arithmetic: seconds(w.Float32/r.Float32 + w.Float64/r.Float64), Start: seconds(float64(parts) * r.Start),
	}
}

// Total returns how long all takes. Copies and arithmetic go on at once, so the slowest counts.
func (t Terms) Total() time.Duration { return max(t.In, t.Out, t.Host, t.Arithmetic) + t.Start }

// String returns the terms.
func (t Terms) String() string {
	return fmt.Sprintf("%v bus in, %v bus out, %v host copies, %v arithmetic, %v start",
		brief(t.In), brief(t.Out), brief(t.Host), brief(t.Arithmetic), brief(t.Start))
}

// seconds returns a duration, of a century at most, which is also how long nothing takes at a rate
// of 0.
func seconds(s float64) time.Duration {
	const century = 100 * 365 * 24 * 3600
	if !(s < century) {
		s = century
	}
	return time.Duration(s * float64(time.Second))
}

// brief returns a duration with three digits.
func brief(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}

// weigh returns the work of a program over the elements of a nest, whose operands are the inputs of
// the program and then its outputs. It returns a *ptx.UnsupportedError if there is no code for it.
func weigh(p *machine.Program, nest *plan.Nest) (w Work, err error) {
	l, err := lower(p, false)
	if err != nil {
		return w, err
	}
	kernel, err := ptx.Compile(l.Program, nil)
	if err != nil {
		return w, err
	}

	elems := float64(nest.NumElems())
	perElem := instructions(kernel.Text)
	w.Float32, w.Float64 = elems*perElem.Float32/float64(kernel.PerThread), elems*perElem.Float64/float64(kernel.PerThread)

	for _, k := range l.Inputs {
		w.In += elems / float64(repeats(nest, k)) * float64(nest.ElemSizes[k])
	}
	outputs := len(nest.ElemSizes) - len(p.OutputTypes())
	for _, size := range nest.ElemSizes[outputs:] {
		w.Out += elems * float64(size)
	}
	return w, nil
}

// repeats returns how many elements of a box an operand has one for: one that is the same along
// rows, or for all rows, is sent once.
func repeats(nest *plan.Nest, k int) int {
	inner, all := len(nest.Sizes)-1, 1
	if nest.Inner(k) == 0 {
		all *= nest.Sizes[inner]
	}
	if inner > 0 && nest.Outer(k) == 0 {
		all *= nest.Sizes[inner-1]
	}
	return max(all, 1)
}

// slow is how many instructions a division, a remainder or a square root counts as: no chip has one
// for them.
const slow = 16

// instructions counts those of a thread in the text of PTX: each line of arithmetic, of conversion
// or of comparison once, with both ways of a branch. Loads, stores, moves, jumps and barriers do not
// count.
func instructions(text string) (w Work) {
	for line := range strings.Lines(text) {
		op := strings.TrimSpace(line)
		if strings.HasPrefix(op, "@") {
			_, op, _ = strings.Cut(op, " ")
		}
		op, _, ok := strings.Cut(op, " ")
		kind, types, typed := strings.Cut(op, ".")
		if !ok || !typed || kind == "" {
			continue
		}

		weight := 1.0
		switch kind {
		case "ld", "st", "mov", "bra", "bar", "cp":
			continue
		case "div", "rem", "sqrt":
			weight = slow
		}
		if strings.Contains(types, "f64") {
			w.Float64 += weight
		} else {
			w.Float32 += weight
		}
	}
	return w
}
