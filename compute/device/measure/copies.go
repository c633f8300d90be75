package measure

import (
	"errors"
	"runtime"
	"sync"
	"time"

	"github.com/tstore/tstore/compute/device"
)

// bus measures copies to the device and from it while both go on.
func (b *bench) bus(r *Rates) error {
	up := func(q device.Queue) error { return q.Upload(b.in.memory, b.in.stage) }
	down := func(q device.Queue) error { return q.Download(b.out.stage, b.out.memory) }
	var fastest [2]float64 // bytes a second
	_, err := b.seconds(func(n int) error {
		begin := b.Now()
		var took [2]time.Duration
		var failed [2]error
		var both sync.WaitGroup
		for i, l := range []*lane{&b.in, &b.out} {
			both.Go(func() {
				failed[i] = l.repeat(b, n, []func(device.Queue) error{up, down}[i])
				took[i] = max(b.Now().Sub(begin), 1)
			})
		}
		both.Wait()
		for i := range took {
			fastest[i] = max(fastest[i], float64(b.Bytes)*float64(n)/took[i].Seconds())
		}
		return errors.Join(failed[:]...)
	})
	r.Up, r.Down = fastest[0], fastest[1]
	return err
}

// repeat gives the queue the same n times, and waits for all.
func (l *lane) repeat(b *bench, n int, give func(q device.Queue) error) error {
	return l.do(b.ctx, func(q device.Queue) error {
		for range n {
			if err := give(q); err != nil {
				return err
			}
		}
		return nil
	})
}

// far is how many times the staging memory is what is copied there and from there: operands are in
// no cache.
const far = 4

// host measures copies of all processors, one half of them to staging memory, the other half from
// there.
func (b *bench) host(r *Rates) error {
	workers := runtime.GOMAXPROCS(0)
	from, to := make([]byte, far*b.Bytes), make([]byte, far*b.Bytes)
	for _, s := range [][]byte{from, to} {
		for i := range s {
			s[i] = 1 // a page that nobody wrote is no memory yet
		}
	}

	seconds, err := b.seconds(func(n int) error {
		var all sync.WaitGroup
		for w := range workers {
			lo, hi := w*b.Bytes/workers, (w+1)*b.Bytes/workers
			all.Go(func() {
				for round := range n {
					at := round % far * b.Bytes
					copy(b.in.stage[lo:hi], from[at+lo:])
					copy(to[at+lo:at+hi], b.out.stage[lo:])
				}
			})
		}
		all.Wait()
		return b.ctx.Err()
	})
	if err == nil {
		r.Host = 2 * 2 * float64(b.Bytes) / seconds // two copies, each of which reads and writes
	}
	return err
}
