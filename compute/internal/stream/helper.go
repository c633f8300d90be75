package stream

import (
	"context"
	"sync"
	"sync/atomic"
)

// work is what the helper does for windows. One goroutine makes all calls, window after window.
type work interface {
	prepare(window int) error
	retire(window int) error // the work on it, and on all before it, is over
	finish() error           // it was the last one
}

// A helper is the goroutine of a Stream.
type helper struct {
	*Stream
	work    work
	ahead   int
	most    int // windows that are prepared and not retired
	retired int // windows
}

// startHelper makes a stream with a helper.
func startHelper(ctx context.Context, work work, w windows, o Options) *Stream {
	s := &Stream{
		perWindow: w.perWindow,
		left:      make([]atomic.Int32, w.count()),
		wake:      make(chan struct{}, 1),
		closing:   make(chan struct{}),
		ended:     make(chan struct{}),
	}

	s.changed = sync.NewCond(&s.mu)
	for i := range s.left {
		first, end := w.chunks(i)
		s.left[i].Store(int32(end - first))
	}

	h := &helper{Stream: s, work: work, ahead: o.Ahead, most: w.count()}
	if o.Workers > 0 {
		h.most = 1 + w.spanned(o.Workers) + o.Ahead
	}

	go h.run(ctx)
	return s
}

func (h *helper) run(ctx context.Context) {
	defer close(h.ended)
	err := h.follow(ctx)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mu.err = err
	h.mu.closed = true
	h.changed.Broadcast()
}

// follow works until all windows are done with, the stream is closed, or something fails.
func (h *helper) follow(ctx context.Context) error {
	// Retire first: it gives memory back before more is taken.
	for {
		if err := h.retire(); err != nil {
			return err
		}

		if h.retired == len(h.left) {
			return h.work.finish()
		}
		if h.isClosing() {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}

		if h.behind() {
			if err := h.prepare(); err != nil {
				return err
			}
			continue
		}

		select {
		case <-h.wake:
		case <-h.closing:
		case <-ctx.Done():
		}
	}
}

// retire passes finished windows on in their order, up to the first that is not finished. A window
// that was finished before it was prepared needs no preparation any more.
func (h *helper) retire() error {
	for h.retired < len(h.left) && h.left[h.retired].Load() == 0 {
		if err := h.work.retire(h.retired); err != nil {
			return err
		}
		h.retired++
		if h.prepared.Load() < int64(h.retired) {
			h.advance()
		}
	}
	return nil
}

func (h *helper) isClosing() bool {
	select {
	case <-h.closing:
		return true
	default:
		return false
	}
}

// behind reports whether to prepare the next window now.
func (h *helper) behind() bool {
	until := max(h.retired+1+h.ahead, int(h.wanted.Load()))
	return int(h.prepared.Load()) < min(until, h.retired+h.most, len(h.left))
}

func (h *helper) prepare() error {
	if err := h.work.prepare(int(h.prepared.Load())); err != nil {
		return err
	}
	h.advance()
	return nil
}

// advance lets workers have one more window.
func (h *helper) advance() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.prepared.Add(1)
	h.changed.Broadcast()
}
