package devicecheck

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// evaluations evaluates thousands of times, and looks what memory is left behind: of the device, and
// of the process, of which pinned memory is a part.
func (c *check) evaluations() error {
	const leak = 64 << 20 // bytes that the process may have got beside, as the collector is lazy
	n := c.scaled(10_000, 100)
	e := &expression{text: "a*2 + b", tensors: map[string]*view.Tensor{}}
	r := c.random("evaluations", 0)
	if err := errors.Join(e.add(r, "a", dtype.Float32, 1000), e.add(r, "b", dtype.Float32, 1000)); err != nil {
		return err
	}
	defer e.close()
	parsed, err := compute.Parse(e.text)
	if err != nil {
		return err
	}

	done := 0
	some := func(until int) error {
		for ; done < until && !c.late(); done++ {
			result, err := parsed.Eval(c.ctx, e.env(), &compute.Options{Device: c.device, Parallelism: 2})
			if err == nil {
				err = result.Close()
			}
			if err != nil {
				return fmt.Errorf("evaluation %d: %w", done, err)
			}
		}
		return nil
	}
	if err := some(n / 10); err != nil {
		return err
	}
	free, host := c.freeBytes(), processBytes()
	if err := some(n); err != nil {
		return err
	}
	lostFree, lostHost := free-c.freeBytes(), processBytes()-host

	c.Report(counted("evaluations, one after the other", done, n, nil))
	for _, f := range []struct {
		name string
		lost int64
	}{{"memory of the device lost in them", lostFree}, {"memory of the process lost in them", lostHost}} {
		figure := Figure{Name: f.name, Value: max(0, float64(f.lost)/(1<<20)), Unit: "MiB", Verdict: OK, Note: fmt.Sprintf("at most %d", leak>>20)}
		if f.lost > leak {
			figure.Verdict = Missed
		}
		c.Report(figure)
	}
	return nil
}

// freeBytes returns the default limit of the device, which is a part of what is free; 0 if it can't
// be opened.
func (c *check) freeBytes() int64 {
	d, err := c.Open(0)
	if err != nil {
		return 0
	}
	defer d.Close()
	return d.Info().LimitBytes
}

// processBytes returns the memory of this process, as far as it is told.
func processBytes() (sum int64) {
	runtime.GC()
	for _, key := range []string{"VmRSS", "VmPin", "VmLck"} {
		sum += status("/proc/self/status", key)
	}
	return sum
}
