package model

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/tstore/tstore"
)

// salvage copies the store without its catalog, and looks at what Salvage makes of the copy:
// nothing that no tensor ever showed, and all that tensors show that have files of their own.
func (w *world) salvage(st step) error {
	if !w.quiet() || len(w.cuts) > 0 || leftOut("salvage") {
		return nil
	}
	dir := filepath.Join(w.dir, "salvaged")
	defer os.RemoveAll(dir)
	if err := errors.Join(os.CopyFS(dir, os.DirFS(w.store())), os.Remove(filepath.Join(dir, "catalog.db"))); err != nil {
		return err
	}
	report, err := tstore.Salvage(w.ctx, dir, nil)
	if err != nil {
		return err
	}
	s, err := tstore.Open(w.ctx, dir, nil)
	if err != nil {
		return err
	}
	w.done[st.Do]++
	return errors.Join(w.salvaged(s, report), s.Close())
}

func (w *world) salvaged(s *tstore.Store, report *tstore.SalvageReport) error {
	found := map[uint64]bool{}
	for _, name := range report.Tensors {
		t, err := s.Get(w.ctx, name)
		if err != nil {
			return fmt.Errorf("salvaged %s: %w", name, err)
		}
		v, err := read(t.Tensor)
		if err := errors.Join(err, t.Close()); err != nil {
			return fmt.Errorf("salvaged %s: %w", name, err)
		}
		if !w.past[v.sum()] {
			return fmt.Errorf("salvaged %s is %v, which no tensor ever was (%+v)", name, v, report)
		}
		found[v.sum()] = true
	}
	for _, b := range w.model.bufs {
		if b.file == "" && len(report.Skipped) == 0 && !w.isFound(b, found) {
			return fmt.Errorf("the elements of %v, %v, are not salvaged (%+v)", w.model.sharers(b.id), b.value(), report)
		}
	}
	for _, snap := range report.Snapshots {
		if want := w.model.snaps[snap]; want != nil {
			if err := compare(w.ctx, s, want, snap, nil); err != nil {
				return fmt.Errorf("salvaged: %w", err)
			}
		}
	}
	return nil
}

// isFound reports whether a tensor that is in a buffer was found, or all of the buffer.
func (w *world) isFound(b *buffer, found map[uint64]bool) bool {
	for _, name := range w.model.sharers(b.id) {
		if found[w.model.shows(w.model.names[name]).sum()] {
			return true
		}
	}
	return found[b.value().sum()] || slices.ContainsFunc(b.beginnings(), func(sum uint64) bool { return found[sum] })
}

// beginnings are the sums of the first rows of a small buffer: a tensor that was made shorter
// leaves a file with more rows than its header tells of.
func (b *buffer) beginnings() (sums []uint64) {
	if len(b.shape) == 0 || b.fortran || len(b.vals) > 100 || len(b.vals) != count(b.shape) {
		return nil
	}
	for n := 1; n < b.shape[0]; n++ {
		shape := append([]int{n}, b.shape[1:]...)
		sums = append(sums, value{dtype: b.dtype, shape: shape, elems: b.vals[:count(shape)]}.sum())
	}
	return sums
}
