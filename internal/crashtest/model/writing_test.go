package model

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// writing is a tensor that is kept open to be written in place.
type writing struct {
	tensor *tstore.Writable
	buf    int   // the origin of the buffer
	at     []int // where its elements are in their buffer
}

// quiet reports whether nothing is open that others have to wait for.
func (w *world) quiet() bool { return len(w.txs) == 0 && len(w.writings) == 0 }

// hold opens a part of a tensor to be written in place.
func (w *world) hold(st step) error {
	if len(w.writings) > 1 {
		return nil
	}
	t, err := w.handles[st.Handle].OpenWritable(w.ctx, st.Name+st.Part.String())
	if err == nil {
		x := &writing{tensor: t}
		if o := w.model.names[st.Name]; o != nil {
			_, at, _ := st.Part.of(o.shape)
			x.buf, x.at = w.model.bufs[o.buf].origin(), through(o.at, at)
		}
		w.writings = append(w.writings, x)
	}
	return w.judge(st, err)
}

// hold is what can be seen of that: a tensor that is written is not what it was computed as.
func (s *state) hold(st step) error {
	old, b, err := s.tensor(st.Name)
	if err != nil {
		return err
	}
	if st.Part.Kind == "pick" {
		return errPick
	}
	_, at, err := st.Part.of(old.shape)
	if err != nil {
		return err
	}
	if err := s.changeable(b); err != nil && (len(at) > 0 || !unreadable(err)) {
		return err
	}
	o := *old
	o.at = through(old.at, at)
	if err := s.dirty(&o); err != nil {
		return err
	}
	o.at, o.made, o.unsure = old.at, nil, true
	s.put(st.Name, &o)
	return nil
}

// write writes to the tensor that was opened first.
func (w *world) write(st step) error {
	if len(w.writings) == 0 {
		return nil
	}
	x := w.writings[0]
	if err := view.Fill(w.ctx, x.tensor.Tensor, dtype.ScalarOf(st.First)); err != nil {
		return err
	}
	if st.Flag {
		if err := x.tensor.Flush(); err != nil {
			return err
		}
	}
	for _, r := range w.readers {
		if r.tensor.Info.Storage.File() != x.tensor.Info.Storage.File() {
			continue
		}
		for _, at := range x.at {
			r.maySee(write{r.buf, at, st.First})
		}
	}
	next := w.model.clone()
	if b, err := w.written(next, x); b == nil || err != nil {
		return err
	} else {
		b.vals, b.content = append([]int64(nil), b.vals...), next.number()
		for _, at := range x.at {
			b.vals[at] = st.First
		}
	}
	w.accept(st, next)
	return nil
}

// release closes the tensor that was opened first.
func (w *world) release(step) error {
	if len(w.writings) == 0 {
		return nil
	}
	x := w.writings[0]
	w.writings = w.writings[1:]
	b, err := w.written(w.model, x)
	if err != nil {
		return err
	}
	used, err := w.used(x.tensor.Info.Storage.File())
	if err != nil {
		return err
	}
	switch err := x.tensor.Close(); {
	case b != nil && err != nil:
		return fmt.Errorf("it failed: %w", err)
	case !used && !errors.Is(err, tstore.ErrConflict):
		return fmt.Errorf("what was written is gone, and the error is %v", err)
	}
	w.done["release"]++
	return nil
}

// used reports whether a tensor is in a file, which can be another one than was written there.
func (w *world) used(file string) (bool, error) {
	for _, name := range w.model.sorted() {
		e, err := w.handles[0].Lookup(w.ctx, name)
		if err != nil {
			return false, fmt.Errorf("%s: %w", name, err)
		}
		if e.Record.Kind == catalog.KindTensor && e.Storage.File() == file {
			return true, nil
		}
	}
	return false, nil
}

// written is the buffer of a state that is being written, nil if it has gone.
func (w *world) written(s *state, x *writing) (*buffer, error) {
	for _, name := range s.sorted() {
		o := s.names[name]
		if o.kind != catalog.KindTensor || s.bufs[o.buf].origin() != x.buf {
			continue // others can be in the same file
		}
		e, err := w.handles[0].Lookup(w.ctx, name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if e.Storage.File() == x.tensor.Info.Storage.File() {
			return s.bufs[o.buf], nil
		}
	}
	return nil, nil
}

// markWritten notes which elements are being written.
func (w *world) markWritten() error {
	for _, b := range w.model.bufs {
		b.written = nil
	}
	for _, x := range w.writings {
		b, err := w.written(w.model, x)
		if err != nil {
			return err
		}
		if b == nil {
			continue
		}
		if b.written == nil {
			b.written = map[int]int{}
		}
		for _, at := range x.at {
			b.written[at]++
		}
	}
	return nil
}

// writing is a run of steps beside a tensor that is written in place.
func (g *generator) writing(s *state) []step {
	name := g.tensorName(s)
	all := []step{{Do: "hold", Name: name, Part: g.part(s, name, false)}}
	for range 2 + g.rng.IntN(4) {
		st := step{Do: oneOf(g.rng, []string{"store", "store", "write", "fill", "append", "view", "delete", "rename", "replace", "gc", "keep", "bring", "backup", "hold", "eval"}), Handle: g.rng.IntN(2)}
		g.detail(s, &world{}, &st)
		if st.Name != "" && st.Do != "keep" && st.Do != "bring" && g.chance(70) {
			st.Name = name
		}
		all = append(all, st)
	}
	return append(all, step{Do: "store", First: g.first(), Flag: true}, step{Do: "release"}, step{Do: "release"})
}
