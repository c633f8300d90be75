package measure

import (
	"context"
	"errors"

	"github.com/tstore/tstore/compute/device"
)

// A bench is what measurements take of a device.
type bench struct {
	*Options
	ctx      context.Context
	device   device.Device
	in, out  lane
	result   []byte // staging memory of in, to download to
	float32s device.Module
	float64s device.Module
}

// A lane is a queue with staging memory of one use, and as much memory on the device.
type lane struct {
	queue  device.Queue
	stage  []byte
	memory uint64
}

// openBench takes what there is room for.
func openBench(ctx context.Context, d device.Device, o *Options) (*bench, error) {
	for {
		b := &bench{Options: o, ctx: ctx, device: d}
		err := b.open()
		if err == nil {
			return b, nil
		}
		err = errors.Join(err, b.close())
		if _, full := errors.AsType[*device.MemoryError](err); !full || o.Bytes <= leastBytes {
			return nil, err
		}
		o.Bytes = max(o.Bytes/2, leastBytes)
	}
}

func (b *bench) open() (err error) {
	if err = b.in.open(b.device, b.Bytes, device.Written); err != nil {
		return err
	}
	if err = b.out.open(b.device, b.Bytes, device.Read); err != nil {
		return err
	}
	if b.result, err = b.in.queue.Stage(8, device.Read); err != nil {
		return err
	}
	if b.float32s, err = b.device.Compile(chains("f32")); err != nil {
		return err
	}
	if b.float64s, err = b.device.Compile(chains("f64")); err != nil {
		return err
	}

	// What is downloaded must have been written.
	clear(b.in.stage)
	return b.in.do(b.ctx, func(q device.Queue) error {
		return errors.Join(q.Upload(b.in.memory, b.in.stage), q.Upload(b.out.memory, b.in.stage))
	})
}

func (l *lane) open(d device.Device, n int, use device.Use) (err error) {
	if l.queue, err = d.NewQueue(); err != nil {
		return err
	}
	if l.stage, err = l.queue.Stage(n, use); err == nil {
		l.memory, err = l.queue.Memory(int64(n))
	}
	return err
}

// do waits for what give gives the queue.
func (l *lane) do(ctx context.Context, give func(q device.Queue) error) error {
	if err := give(l.queue); err != nil {
		return err
	}
	return l.queue.Wait(ctx)
}

func (b *bench) close() (err error) {
	for _, l := range []lane{b.in, b.out} {
		if l.queue != nil {
			err = errors.Join(err, l.queue.Close())
		}
	}
	for _, m := range []device.Module{b.float32s, b.float64s} {
		if m != nil {
			err = errors.Join(err, m.Close())
		}
	}
	return err
}
