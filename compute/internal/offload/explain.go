package offload

import (
	"context"
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/ptx"
)

// Explain says what computes a program over the elements of nest, or why the CPU does, and what
// memory that takes on both sides, unless resident says that an operand is on the device.
func (e *Engine) Explain(p *machine.Program, nest *plan.Nest, resident bool) (what string, ok bool) {
	l, err := lower(p, resident)
	if err == nil {
		var k *ptx.Kernel
		if k, err = ptx.Compile(l.Program, nil); err == nil {
			what = fmt.Sprintf("GPU code for %v, %d elements a thread", e.Place(), k.PerThread)
			if !resident {
				what += e.memory(p, nest)
			}
			return what, true
		}
	}
	return e.instead(err), false
}

// memory says what a loop takes on both sides, if there is as much.
func (e *Engine) memory(p *machine.Program, nest *plan.Nest) string {
	all := len(nest.ElemSizes)
	l, err := e.cutLoop(context.Background(), p, nest, make([]exec.Operand, all), all-len(p.OutputTypes()))
	if err != nil {
		return ""
	}
	_, elems := l.size()
	bytes := int64(min(e.slots, max(l.chunks.Len(), 1))) * int64(l.cut(elems).bytes())
	size := func(limit int64) string { return humanize.IBytes(uint64(max(min(bytes, limit), 0))) }
	return fmt.Sprintf(", in %s there and %s of staging memory", size(e.device.Info().LimitBytes), size(e.staging))
}

// instead says why the CPU computes.
func (e *Engine) instead(why any) string { return fmt.Sprintf("the CPU, not %v: %v", e.Place(), why) }

// Predict says what a choice for a program over the elements of nest will compare, as far as that is
// known before the CPU has computed some of them.
func (e *Engine) Predict(p *machine.Program, nest *plan.Nest) string {
	if e.failed != nil {
		return e.instead(e.failed)
	}
	if e.tooSmall(nest) {
		return e.instead("the pass is small")
	}
	w, err := weigh(p, nest)
	if err != nil {
		return e.instead(err)
	}
	rates, err := e.Auto.rates(context.Background())
	if err != nil {
		return e.instead(err)
	}
	t := w.Terms(rates, 1)
	return fmt.Sprintf("%v or the CPU: %v: %v in all; the CPU is timed when it computes the first elements", e.Place(), t, brief(t.Total()))
}
