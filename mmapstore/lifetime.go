package mmapstore

import (
	"sync"
	"sync/atomic"
)

// A lifetime counts the owners of a storage (references) and its running users (pins) in one word,
// so that "the last owner left" and "no new users" are the same instant. It is closed when it has
// no references; a closed lifetime never opens again.
//
//	bit  63     growing: Grow holds the storage for itself, pins wait
//	bits 32-62  references
//	bits  0-31  pins
type lifetime struct {
	state   atomic.Uint64
	drained sync.WaitGroup // for the last pin of a closed lifetime
	growing sync.Mutex     // held while the growing bit is set
}

const (
	onePin     = 1
	pinMask    = 1<<32 - 1
	oneRef     = 1 << 32
	growingBit = 1 << 63
	refMask    = growingBit - oneRef
)

// begin starts a lifetime with one reference.
func (l *lifetime) begin() {
	l.drained.Add(1)
	l.state.Store(oneRef)
}

// add takes a pin or a reference. It waits while the storage grows.
func (l *lifetime) add(unit uint64) error {
	for {
		v := l.state.Load()
		if v&refMask == 0 {
			return ErrClosed
		}
		if v&growingBit != 0 {
			l.awaitGrowth()
			continue
		}
		if l.state.CompareAndSwap(v, v+unit) {
			return nil
		}
	}
}

func (l *lifetime) pin() error    { return l.add(onePin) }
func (l *lifetime) retain() error { return l.add(oneRef) }

// unpin gives a pin back. The last one of a closed lifetime lets the closer go on.
func (l *lifetime) unpin() {
	v := l.state.Add(^uint64(0))
	if v&pinMask == pinMask {
		panic("BUG: storage unpinned more often than pinned")
	}
	if v&(refMask|pinMask) == 0 {
		l.drained.Done()
	}
}

// release gives a reference back. When it was the last one, release waits until no pin and no
// growth is left, and reports last: the caller frees the memory.
func (l *lifetime) release() (last bool, err error) {
	for {
		v := l.state.Load()
		if v&refMask == 0 {
			return false, ErrClosed
		}
		if !l.state.CompareAndSwap(v, v-oneRef) {
			continue
		}

		if (v-oneRef)&refMask != 0 {
			return false, nil
		}

		// No new pin can come: pins need a reference, and there is none. Wait for the pins that are
		// held, and for a growth, which would replace the memory.
		if v&pinMask != 0 {
			l.drained.Wait()
		}
		l.awaitGrowth()
		return true, nil
	}
}

// beginGrowth keeps pins out until endGrowth. It fails at once when a pin is held.
func (l *lifetime) beginGrowth() error {
	l.growing.Lock()
	for {
		v := l.state.Load()
		err := error(nil)
		switch {
		case v&refMask == 0:
			err = ErrClosed
		case v&pinMask != 0:
			err = ErrBusy
		case l.state.CompareAndSwap(v, v|growingBit):
			return nil
		default:
			continue
		}

		l.growing.Unlock()
		return err
	}
}

func (l *lifetime) endGrowth() {
	l.state.And(^uint64(growingBit))
	l.growing.Unlock()
}

func (l *lifetime) awaitGrowth() {
	l.growing.Lock()
	defer l.growing.Unlock()
}
