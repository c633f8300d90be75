package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tstore/tstore/compute/device"
)

// Options say how much is done for a measurement. The zero value of each field is a default.
type Options struct {
	// Bytes is what is copied at once, each way: 8 MiB. It is less where the device has less.
	Bytes int
	// Time is how long what is timed takes at least: 12 ms.
	Time time.Duration
	// Tries is how often it is timed. The best one counts: 3.
	Tries int
	// Now is the time: time.Now.
	Now func() time.Time
}

// withDefaults returns the options with all fields set. o may be nil.
func (o *Options) withDefaults() Options {
	var all Options
	if o != nil {
		all = *o
	}
	all.Bytes = max(cmp.Or(all.Bytes, 8<<20), leastBytes)
	all.Time = cmp.Or(all.Time, 12*time.Millisecond)
	all.Tries = max(cmp.Or(all.Tries, 3), 1)
	if all.Now == nil {
		all.Now = time.Now
	}
	return all
}

// leastBytes is what is copied at once at least.
const leastBytes = 4 << 10

// Measure returns the rates of a device. What it takes of the device is given back. o may be nil.
func Measure(ctx context.Context, d device.Device, o *Options) (r Rates, err error) {
	options := o.withDefaults()
	b, err := openBench(ctx, d, &options)
	if err != nil {
		return Rates{}, fmt.Errorf("measure %v: %w", d.Place(), err)
	}
	defer func() { err = errors.Join(err, b.close()) }()

	// The first one that fails ends it.
	for _, step := range []func(*Rates) error{b.bus, b.host, b.start, b.arithmetic} {
		if err := step(&r); err != nil {
			return Rates{}, fmt.Errorf("measure %v: %w", d.Place(), err)
		}
	}
	return r, nil
}

// maxRounds bounds how often something is done to be timed: a clock may stand still.
const maxRounds = 1 << 20

// seconds returns how long one round takes of what do does n of, at best.
func (o *Options) seconds(do func(n int) error) (float64, error) {
	// First it is done so often that the time can be told. That also warms it up.
	n := 1
	for ; n < maxRounds; n *= 2 {
		elapsed, err := o.time(do, n)
		if err != nil {
			return 0, err
		}
		if elapsed >= o.Time {
			break
		}
	}

	best := time.Duration(0)
	for range o.Tries {
		elapsed, err := o.time(do, n)
		if err != nil {
			return 0, err
		}
		if best == 0 || elapsed < best {
			best = elapsed
		}
	}
	return best.Seconds() / float64(n), nil
}

// time returns how long n rounds take: at least a nanosecond.
func (o *Options) time(do func(n int) error, n int) (time.Duration, error) {
	start := o.Now()
	err := do(n)
	return max(o.Now().Sub(start), 1), err
}
