package devicecheck

import (
	"errors"
	"time"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/measure"
)

// giga is the unit of rates of bytes.
const giga = 1e9

// rates measures what others are compared with: the bus, copies on both sides, and arithmetic.
func (c *check) rates() error {
	return errors.Join(c.busRates(), c.measured(), c.deviceRate())
}

// measured has package measure measure what it chooses a device by.
func (c *check) measured() error {
	o := measure.Options{Bytes: c.scaled(64<<20, 1<<14), Time: time.Duration(c.scaled(int(12*time.Millisecond), 1))}
	var all []measure.Rates
	for range c.scaled(9, 2) {
		again := o // Measure may change it
		r, err := measure.Measure(c.ctx, c.device, &again)
		if err != nil {
			return err
		}
		all = append(all, r)
	}

	median := func(name, unit string, scale float64, of func(r *measure.Rates) float64) float64 {
		var s sample
		for i := range all {
			s = append(s, 1/of(&all[i]))
		}
		f := s.rate(name, unit, scale)
		c.Report(judged(f))
		return f.Value / scale
	}
	c.known.Up = median("bus to the device, both ways at once", "GB/s", 1/giga, func(r *measure.Rates) float64 { return r.Up })
	c.known.Down = median("bus from the device, both ways at once", "GB/s", 1/giga, func(r *measure.Rates) float64 { return r.Down })
	c.known.Host = 2 * median("copies in host memory", "GB/s", 1/giga, func(r *measure.Rates) float64 { return r.Host / 2 })
	c.known.Float32 = median("fused multiplications and additions, float32", "T/s", 1e-12, func(r *measure.Rates) float64 { return r.Float32 })
	c.known.Float64 = median("fused multiplications and additions, float64", "T/s", 1e-12, func(r *measure.Rates) float64 { return r.Float64 })
	c.known.Start = 1 / median("uploads, launches and downloads of 8 bytes", "/s", 1, func(r *measure.Rates) float64 { return 1 / r.Start })
	return nil
}

// busRates measures copies between pinned memory and the device, one way.
func (c *check) busRates() error {
	n := c.scaled(256<<20, 1<<16)
	return c.queue(func(q *queue) error {
		from, err1 := q.Stage(n, device.Written)
		to, err2 := q.Stage(n, device.Read)
		at, err3 := q.Memory(int64(n))
		if err := errors.Join(err1, err2, err3); err != nil {
			return err
		}
		clear(from)
		up, err := c.measure(func() error { return errors.Join(q.Upload(at, from), q.wait()) })
		if err != nil {
			return err
		}
		down, err := c.measure(func() error { return errors.Join(q.Download(to, at), q.wait()) })
		if err != nil {
			return err
		}
		c.Report(judged(up.rate("bus to the device", "GB/s", float64(n)/giga)))
		c.Report(judged(down.rate("bus from the device", "GB/s", float64(n)/giga)))
		return nil
	})
}

// deviceRate measures copies on the device. Bytes read and bytes written both count.
func (c *check) deviceRate() error {
	const block = 16 * copyVectors * copyThreads
	n := c.scaled(int(min(2<<30, c.info.LimitBytes/4)), 1<<16) / block * block
	return c.queue(func(q *queue) error {
		m, err := q.compile(copyText())
		if err != nil {
			return err
		}
		from, err1 := q.Memory(int64(n))
		to, err2 := q.Memory(int64(n))
		if err := errors.Join(err1, err2, q.fill(from, n, nil)); err != nil {
			return err
		}
		s, err := c.measure(func() error {
			return errors.Join(q.Launch(m, line("copy", n/block, copyThreads, from, to)), q.wait())
		})
		f := s.rate("copies in device memory, read and written", "GB/s", 2*float64(n)/giga)
		c.Report(judged(f))
		c.deviceCopy = f.Value * giga
		return err
	})
}

// fill writes a pattern of 1 MiB again and again, that of bytes if pattern is nil.
func (q *queue) fill(to uint64, n int, pattern []byte) error {
	if pattern == nil {
		pattern = make([]byte, 1<<20)
		for i := range pattern {
			pattern[i] = byte(i * 7 / 3)
		}
	}
	p, err := q.stage(&q.up, len(pattern), device.Written)
	if err != nil {
		return err
	}
	copy(p, pattern)
	for at := 0; at < n; at += len(p) {
		if err := q.Upload(to+uint64(at), p[:min(n-at, len(p))]); err != nil {
			return err
		}
	}
	return q.wait()
}
