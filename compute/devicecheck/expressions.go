package devicecheck

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/jit/jittest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// expressions computes random expressions as users write them, with and without the device.
func (c *check) expressions() error {
	most := c.scaled(400_000, 3000)
	for _, kind := range []struct {
		name string
		n    int
		make func(r *rand.Rand, most int) (*expression, error)
	}{
		{"element-wise expressions", c.scaled(1000, 20), randomElementwise},
		{"reductions by expressions", c.scaled(1000, 20), randomReduction},
		{"products by expressions", c.scaled(300, 10), randomProduct},
	} {
		shared := &counter{Device: c.device}
		onDevice, done, err := 0, 0, error(nil)
		for ; done < kind.n && !c.late() && err == nil; done++ {
			var e *expression
			if e, err = kind.make(c.random(kind.name, done), most); err != nil {
				break
			}
			before := shared.launches.Load()
			if err = errors.Join(e.compare(c.ctx, shared), e.close()); err != nil {
				err = fmt.Errorf("expression %d of seed %d: %s: %w", done, c.Seed, e.text, err)
				break
			}
			if shared.launches.Load() > before {
				onDevice++
			}
		}
		f := counted(kind.name, done, kind.n, err)
		if f.Note == "" {
			f.Note = fmt.Sprintf("%d used the device, %d the CPU alone", onDevice, done-onDevice)
		}
		c.Report(f)
	}
	return nil
}

// A counter is a device whose launches are counted.
type counter struct {
	device.Device
	launches atomic.Int64
}

// NewQueue implements device.Device.
func (c *counter) NewQueue() (device.Queue, error) {
	q, err := c.Device.NewQueue()
	if err != nil {
		return nil, err
	}
	return &countedQueue{q, c}, nil
}

type countedQueue struct {
	device.Queue
	counter *counter
}

// Launch implements device.Queue.
func (q *countedQueue) Launch(m device.Module, l *device.Launch) error {
	q.counter.launches.Add(1)
	return q.Queue.Launch(m, l)
}

// An expression is a text and the tensors it names.
type expression struct {
	text    string
	tensors map[string]*view.Tensor
}

// close closes the tensors.
func (e *expression) close() (err error) {
	for _, t := range e.tensors {
		err = errors.Join(err, t.Close())
	}
	return err
}

// env finds the tensors.
func (e *expression) env() compute.Env {
	return compute.Env{Lookup: func(name string) (*view.Tensor, error) {
		if t := e.tensors[name]; t != nil {
			return t, nil
		}
		return nil, fmt.Errorf("there is no tensor %q", name)
	}}
}

// add adds a tensor of random elements.
func (e *expression) add(r *rand.Rand, name string, t dtype.Type, shape ...int) error {
	n := 1
	for _, d := range shape {
		n *= d
	}
	b := jittest.Aligned(n * t.Size())
	jittest.Fill(r, b, t)
	x, err := tensorOf(mmapstore.FromBytes(b), t, shape...)
	if err == nil {
		e.tensors[name] = x
	}
	return err
}

// tensorOf lays a tensor over a storage, which it takes.
func tensorOf(st *mmapstore.Storage, t dtype.Type, shape ...int) (*view.Tensor, error) {
	layout, err := view.NewLayout(shape...)
	if err != nil {
		return nil, errors.Join(err, st.Release())
	}
	x, err := view.NewTensor(st, t, layout)
	return x, errors.Join(err, st.Release())
}

// compare computes with the device and without, with operands in host memory and on the device, and
// compares the results.
func (e *expression) compare(ctx context.Context, d device.Device) error {
	parsed, err := compute.Parse(e.text)
	if err != nil {
		return err
	}
	want, err := parsed.Eval(ctx, e.env(), nil)
	if err != nil {
		return err
	}
	defer want.Close()
	got, err := parsed.Eval(ctx, e.env(), &compute.Options{Device: d})
	if err != nil {
		return err
	}
	defer got.Close()
	if err := sameTensors(got, want); err != nil {
		return err
	}
	if err := e.compareThere(ctx, parsed, d, want); err != nil {
		return fmt.Errorf("with operands on %v: %w", d.Place(), err)
	}
	return nil
}

// compareThere computes with operands that are on the device, unless what is done needs them in host
// memory.
func (e *expression) compareThere(ctx context.Context, parsed compute.Expr, d device.Device, want *view.Tensor) (err error) {
	there := &expression{tensors: map[string]*view.Tensor{}}
	defer func() { err = errors.Join(err, there.close()) }()
	for name, x := range e.tensors {
		st, err := mmapstore.WithAllocator(d, x.NumBytes())
		if err != nil {
			return err
		}
		to, err := tensorOf(st, x.DType(), x.Shape()...)
		if err != nil {
			return err
		}
		there.tensors[name] = to
		if err := view.Copy(ctx, to, x); err != nil {
			return err
		}
	}
	got, err := parsed.Eval(ctx, there.env(), &compute.Options{Device: d})
	if errors.Is(err, mmapstore.ErrPlace) {
		return nil
	}
	if err != nil {
		return err
	}
	defer got.Close()
	return sameTensors(got, want)
}

// sameTensors compares tensors in memory.
func sameTensors(got, want *view.Tensor) error {
	if got.DType() != want.DType() || fmt.Sprint(got.Shape()) != fmt.Sprint(want.Shape()) {
		return fmt.Errorf("got %v, want %v", got, want)
	}
	bytes := func(t *view.Tensor) (all []byte, err error) {
		err = t.Blocks(1<<20, func(b []byte) error {
			all = append(all, b...)
			return nil
		})
		return all, err
	}
	g, err1 := bytes(got)
	w, err2 := bytes(want)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if at, same := sameElements(want.DType(), g, w); !same {
		size := want.DType().Size()
		return fmt.Errorf("element %d is %x, want %x (%v)", at, g[at*size:][:size], w[at*size:][:size], want.DType())
	}
	return nil
}
