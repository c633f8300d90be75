package model

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore"
)

// reader is a tensor that is kept open.
type reader struct {
	name   string
	tensor *tstore.Tensor
	shown  value
	buf    int
	file   string
	at     []int
	// later are what elements may show, too: what was written where they are.
	later map[int][]int64
}

func (w *world) openReader(st step) error {
	o, b, err := w.model.tensor(st.Name)
	if err != nil || len(w.readers) > 4 || w.model.readable(b) != nil || w.model.dirty(o) != nil {
		return nil
	}
	t, err := w.handles[st.Handle].Get(w.ctx, st.Name)
	if err != nil {
		return err
	}
	w.readers = append(w.readers, &reader{
		name: st.Name, tensor: t, shown: w.model.shows(o), buf: b.id, file: b.file, at: o.at, later: map[int][]int64{},
	})
	return nil
}

func (w *world) closeReader(step) error {
	if len(w.readers) == 0 {
		return nil
	}
	r := w.readers[0]
	w.readers = w.readers[1:]
	return r.tensor.Close()
}

// maySee notes an element that was changed where it is.
func (r *reader) maySee(x write) {
	if x.buf == r.buf {
		r.later[x.at] = append(r.later[x.at], x.val)
	}
}

// check says how the tensor differs from what it showed when it was opened.
func (r *reader) check(s *state) error {
	if s.adopted[r.file] > 0 || s.anyCut() {
		return nil
	}
	got, err := read(r.tensor.Tensor)
	if err != nil {
		return fmt.Errorf("%s, which is open: %w", r.name, err)
	}
	for i, x := range got.elems {
		if x != r.shown.elems[i] && !slices.Contains(r.later[r.at[i]], x) {
			return fmt.Errorf("%s, which is open, shows %v, expected %v", r.name, got, r.shown)
		}
	}
	return nil
}
