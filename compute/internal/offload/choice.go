package offload

import (
	"context"
	"fmt"
	"time"

	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/compute/internal/machine"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/dtype"
)

// Advantage is how many times as fast as the CPU a device must be expected to be.
const Advantage = 1.25

// An Auto says how an Engine chooses between its device and the CPU.
type Auto struct {
	// Rates returns those of the device. It is called when they are needed first.
	Rates func(ctx context.Context) (measure.Rates, error)

	Least   int64            // bytes of the operands of a pass below which the CPU does it
	Numbers float64          // products of numbers below which the CPU multiplies matrices
	Worth   time.Duration    // what a pass takes the CPU below which it goes on
	Enough  time.Duration    // what samples take for the time to be told
	Now     func() time.Time // the time

	known    *measure.Rates
	products map[dtype.Type]float64 // seconds that the CPU takes for a product of numbers
}

// NewAuto returns an Auto for a device of which rates tells the rates.
func NewAuto(rates func(ctx context.Context) (measure.Rates, error)) *Auto {
	return &Auto{Rates: rates, Least: 4 << 20, Numbers: 1 << 28, Worth: 20 * time.Millisecond, Enough: 4 * time.Millisecond, Now: time.Now}
}

// rates returns the rates of the device, which it asks for once.
func (a *Auto) rates(ctx context.Context) (*measure.Rates, error) {
	if a.known == nil {
		r, err := a.Rates(ctx)
		if err != nil {
			return nil, err
		}
		a.known = &r
	}
	return a.known, nil
}

// A Choice is which of the device and the CPU computes a pass. The CPU begins: the first elements
// are samples, as the bits are the same. Then the rest is compared. It belongs to one goroutine.
type Choice struct {
	engine *Engine
	work   func() (Work, error) // of all elements of the pass
	elems  int
	bytes  int // of all operands, for an element
	begin  int // those before are not computed
	parts  int // of the pass, which follow each other

	samples int
	done    int // elements before the next one
	timed   int // those that count
	took    time.Duration

	made   bool
	device bool
	first  int           // the element that the choice begins with
	terms  *Terms        // of the device from there on; nil if its rates were not needed
	cpu    time.Duration // of the CPU from there on
	why    string        // why the CPU, if not by the terms
}

// Choose begins the choice for a pass whose program runs over the elements of nest, from element
// begin on, in some parts that follow each other. It returns nil where there is none, and the CPU
// does the pass: where the pass is small or only copies, and when the device has failed. nest is the
// choice's.
func (e *Engine) Choose(p *machine.Program, nest *plan.Nest, begin, parts int) *Choice {
	if e.failed != nil || e.tooSmall(nest) {
		return nil
	}
	if _, err := lower(p, false); err != nil {
		return nil
	}
	return &Choice{
		engine: e, work: func() (Work, error) { return weigh(p, nest) },
		elems: nest.NumElems(), bytes: perElement(nest), begin: begin, done: begin, parts: parts,
	}
}

// tooSmall reports whether the CPU does a pass in any case.
func (e *Engine) tooSmall(nest *plan.Nest) bool {
	elems := nest.NumElems()
	return elems < 2 || float64(perElement(nest))*float64(elems) < float64(e.Auto.Least)
}

// perElement returns the bytes that all operands have for an element.
func perElement(nest *plan.Nest) (bytes int) {
	for _, size := range nest.ElemSizes {
		bytes += size
	}
	return bytes
}

// Device reports whether the device computes what comes next.
func (c *Choice) Device() bool { return c.device && c.engine.failed == nil }

// Made reports whether the choice is made.
func (c *Choice) Made() bool { return c.made }

// Next returns how many elements the CPU is to compute for the next sample: as many as it has, or at
// first enough for all workers.
func (c *Choice) Next() int {
	const perWorker = 256 << 10 // bytes
	least := int(min(c.engine.Auto.Least/4, int64(perWorker*c.engine.slots)))
	return max(c.done-c.begin, least/c.bytes, 1)
}

// Sampled tells that the CPU has computed n elements in some time, and makes the choice when that
// is possible.
func (c *Choice) Sampled(ctx context.Context, n int, took time.Duration) {
	if c.made {
		return
	}
	a := c.engine.Auto
	c.done += n
	if c.samples++; c.samples == 2 {
		c.timed, c.took = 0, 0 // the first one found cold caches and memory that is not there yet
	}
	c.timed, c.took = c.timed+n, c.took+took

	// The CPU goes on with what it is done with soon.
	each := c.took.Seconds() / float64(max(c.timed, 1))
	switch all := seconds(each * float64(c.elems-c.begin)); {
	case c.done >= c.elems || all < a.Worth:
		c.stay(fmt.Sprintf("the CPU takes %v for all", brief(all)))
	case c.took >= a.Enough:
		c.decide(ctx, each)
	}
}

// decide compares the terms of the device with the time of the CPU, which takes so many seconds for
// each element.
func (c *Choice) decide(ctx context.Context, each float64) {
	work, err := c.work()
	if err != nil {
		c.stay(err.Error())
		return
	}
	left := c.elems - c.done
	share := float64(left) / float64(c.elems)
	c.first = c.done
	c.compare(ctx, work.part(share), max(int(float64(c.parts)*share), 1), seconds(each*float64(left)))
}

// compare makes the choice for some work in some parts, which takes the CPU some time.
func (c *Choice) compare(ctx context.Context, w Work, parts int, cpu time.Duration) {
	rates, err := c.engine.Auto.rates(ctx)
	if err != nil {
		if ctx.Err() == nil {
			c.engine.Fail(err)
		}
		c.stay(err.Error())
		return
	}
	terms := w.Terms(rates, parts)
	c.terms, c.cpu = &terms, cpu
	c.made, c.device = true, isFaster(terms.Total(), cpu)
}

// isFaster reports whether a device is to be preferred to a CPU that takes longer.
func isFaster(device, cpu time.Duration) bool { return Advantage*device.Seconds() <= cpu.Seconds() }

// stay chooses the CPU.
func (c *Choice) stay(why string) { c.made, c.device, c.why = true, false, why }

// Refuse chooses the CPU for the rest, since the device can't: err says why.
func (c *Choice) Refuse(err error) { c.stay(err.Error()) }

// String tells what was compared, and what was chosen.
func (c *Choice) String() string {
	switch {
	case !c.made:
		return c.engine.instead("it did not come to a choice")
	case c.why != "":
		return c.engine.instead(c.why)
	}

	// Both sides were compared.
	compared := fmt.Sprintf("%v: %v in all; the CPU: %v, measured", c.terms, brief(c.terms.Total()), brief(c.cpu))
	text := c.engine.instead(compared)
	if c.device {
		from := ""
		if c.first > 0 {
			from = fmt.Sprintf(" from %.0f%% on", 100*float64(c.first)/float64(c.elems))
		}
		text = fmt.Sprintf("%v%s: %s", c.engine.Place(), from, compared)
	}
	if failed := c.engine.failed; c.device && failed != nil {
		text += fmt.Sprintf("; the CPU from where it failed on: %v", failed)
	}
	return text
}
