package devicecheck

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/measure"
	"github.com/tstore/tstore/internal/ptxvm/ptxcase"
)

// Options of Run.
type Options struct {
	// Open opens the device. limit is how many bytes of its memory may be taken; 0 is the default.
	Open func(limit int64) (device.Device, error)
	// Scale is how much of the work is done, from 0 to 1.
	Scale float64
	// Time is how long it may take, about. Parts that would begin later are skipped.
	Time time.Duration
	// Dir is a folder for large files, of which none is left.
	Dir string
	// Parts, if it is not nil, reports whether a part is done, by its name: see PartNames.
	Parts func(name string) bool
	// Seed is where random programs begin.
	Seed uint64
	// Report is called with each figure.
	Report func(Figure)
}

// Run makes all checks. It returns what the device computed of the instructions, for the tests of
// their interpreter. The error is that of ctx, or that the device could not be opened: what goes
// wrong otherwise is in the figures.
func Run(ctx context.Context, o *Options) (*ptxcase.Golden, error) {
	c := &check{Options: o, ctx: ctx}
	d, err := o.Open(0)
	if err != nil {
		return nil, err
	}
	c.info = d.Info()
	c.golden.Device = fmt.Sprintf("%s, sm_%d%d", c.info.Name, c.info.Major, c.info.Minor)
	if err := d.Close(); err != nil {
		return nil, err
	}

	end := time.Now().Add(o.Time)
	for _, p := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if o.Parts != nil && !o.Parts(p.name) {
			continue
		}
		if time.Now().After(end) {
			c.Report(Figure{Name: p.name, Verdict: Skipped, Note: "no time for it"})
			continue
		}
		c.until = time.Now().Add(time.Duration(p.share * float64(o.Time)))
		if err := c.part(p.limit, p.run); err != nil {
			c.Report(Figure{Name: p.name, Verdict: Wrong, Note: err.Error()})
		}
	}
	return &c.golden, ctx.Err()
}

// parts are the checks, in the order of what they depend on. Those of the rates are first, for they
// are limits of others.
var parts = []struct {
	name  string
	share float64 // of the time
	limit int64   // bytes of device memory
	run   func(c *check) error
}{
	{"rates", 0.05, 0, (*check).rates},
	{"instructions", 0.03, 256 << 20, (*check).instructions},
	{"random programs", 0.19, 0, (*check).programs},
	{"functions of float32", 0.16, 0, (*check).functions},
	{"products", 0.03, 0, (*check).products},
	{"expressions", 0.12, 1 << 30, (*check).expressions},
	{"resident programs", 0.05, 0, (*check).resident},
	{"resident products", 0.05, 0, (*check).residentProducts},
	{"paged programs", 0.11, 1 << 30, (*check).paged},
	{"paged product", 0.05, 2 << 30, (*check).pagedProduct},
	{"choice", 0.05, 0, (*check).choice},
	{"evaluations", 0.1, 0, (*check).evaluations},
	{"tensor cores", 0.01, 256 << 20, (*check).tensorCores},
}

// PartNames returns the names of the parts in order.
func PartNames() (names []string) {
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// A check is a Run.
type check struct {
	*Options
	ctx    context.Context
	info   device.Info // with the limit that is the default
	until  time.Time   // when the part is to end
	golden ptxcase.Golden

	device device.Device // of the part

	known      measure.Rates // 0 if they could not be measured
	deviceCopy float64       // bytes a second, read and written
	product32  float64       // operations a second of a product on the device
}

// part runs a part on a device of its own, so that what one leaves does no harm to another.
func (c *check) part(limit int64, run func(c *check) error) error {
	if limit > c.info.LimitBytes {
		limit = 0
	}
	d, err := c.Open(limit)
	if err != nil {
		return err
	}
	c.device = d
	return errors.Join(run(c), d.Close())
}

// late reports whether the time of the part is over.
func (c *check) late() bool { return time.Now().After(c.until) || c.ctx.Err() != nil }

// scaled returns a part of n, and at least least.
func (c *check) scaled(n, least int) int { return max(int(float64(n)*c.Scale), least) }

// random returns the random numbers of case i of a part.
func (c *check) random(part string, i int) *rand.Rand {
	return rand.New(rand.NewPCG(c.Seed, uint64(i)<<8|uint64(len(part))))
}

// each calls what start returns for 0, 1, … up to n, in several goroutines with a queue each. It
// ends at the first error, and when the time is over. done is how many calls there were.
func (c *check) each(n int, start func(q *queue) (func(i int) error, error)) (done int, err error) {
	var all sync.WaitGroup
	var next, ended atomic.Int64
	var failed atomic.Bool
	workers := min(n, max(2, runtime.GOMAXPROCS(0)))
	errs := make([]error, workers)
	for w := range workers {
		all.Go(func() {
			errs[w] = c.queue(func(q *queue) error {
				f, err := start(q)
				for err == nil && !failed.Load() && !c.late() {
					i := next.Add(1) - 1
					if i >= int64(n) {
						break
					}
					if err = f(int(i)); err == nil {
						ended.Add(1)
					}
				}
				return err
			})
			if errs[w] != nil {
				failed.Store(true)
			}
		})
	}
	all.Wait()
	return int(ended.Load()), errors.Join(errs...)
}

// measure runs f some times and returns what each took. The first run does not count.
func (c *check) measure(f func() error) (s sample, err error) {
	runs := c.scaled(9, 2)
	for i := 0; i <= runs && (i < 2 || !c.late()); i++ {
		begin := time.Now()
		if err := f(); err != nil {
			return nil, err
		}
		if i > 0 {
			s = append(s, time.Since(begin).Seconds())
		}
	}
	return s, nil
}
