package model

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
)

// disk is what stores of this process do their file operations on, those of the catalog apart. One
// operation of a step can be made to fail.
type disk struct{ now atomic.Pointer[fsx.Faulty] }

func (d *disk) fs() fsx.FS {
	if f := d.now.Load(); f != nil {
		return f
	}
	return system
}

func (d *disk) OpenFile(name string, flag int, perm fs.FileMode) (fsx.File, error) {
	return d.fs().OpenFile(name, flag, perm)
}
func (d *disk) Rename(from, to string) error               { return d.fs().Rename(from, to) }
func (d *disk) Remove(name string) error                   { return d.fs().Remove(name) }
func (d *disk) Mkdir(name string, perm fs.FileMode) error  { return d.fs().Mkdir(name, perm) }
func (d *disk) Stat(name string) (fs.FileInfo, error)      { return d.fs().Stat(name) }
func (d *disk) ReadDir(name string) ([]fs.DirEntry, error) { return d.fs().ReadDir(name) }
func (d *disk) SyncDir(name string) error                  { return d.fs().SyncDir(name) }

// theDisk takes the place of the operating system's file system before any store is opened.
var (
	system  = fsx.OS
	theDisk = func() *disk { d := &disk{}; fsx.OS = d; return d }()
)

// faulty does a step whose file operation number st.Fail fails. Whatever the step says then, it has
// happened as a whole or not at all.
func (w *world) faulty(st step) error {
	f := fsx.NewFaulty(system)
	f.FailAt(st.Fail, syscall.EIO)
	theDisk.now.Store(f)
	err := do(w.ctx, w.handles[st.Handle], st, w.files())
	theDisk.now.Store(nil)
	if err == nil || !slices.ContainsFunc(f.Log(), func(op fsx.Op) bool { return op.Err != nil }) {
		return w.judge(st, err)
	}
	w.done["fault"]++
	if err := errors.Join(w.close(), w.open()); err != nil {
		return err
	}
	next, expected := w.model.after(st)
	before := w.is(w.model)
	// Files that were made may be there until they are collected.
	if before == nil && expected == nil {
		w.remember(next)
	} else if st.DType != "" {
		w.past[counting(st.DType, st.Shape, st.First).sum()] = true
	}
	if before == nil {
		return nil
	}
	if expected != nil {
		return fmt.Errorf("after %v: %w", err, before)
	}
	if after := w.is(next); after != nil {
		return fmt.Errorf("after %v: it has not happened: %w; nor has it: %w", err, after, before)
	}
	w.accept(st, next)
	return nil
}

// is says how the store differs from a state, in its names and the names of its snapshots.
func (w *world) is(want *state) error {
	err := compare(w.ctx, w.handles[0], want, "", nil)
	if err == nil {
		err = compareSnapshots(w.ctx, w.handles[0], want.snaps)
	}
	return err
}

// cut makes the data file of a tensor shorter. From then on each tensor in that file is an error,
// and nothing is written to it.
func (w *world) cut(st step) error {
	o, b, err := w.model.tensor(st.Name)
	if err != nil || b.file != "" || b.cut || len(o.at) == 0 || !w.quiet() {
		return nil
	}
	e, err := w.handles[0].Lookup(w.ctx, st.Name)
	if err != nil {
		return err
	}
	size := e.Storage.HeaderBytes + e.Storage.PayloadBytes
	less := min(int64(st.Count), e.Storage.PayloadBytes)
	w.done[st.Do]++
	w.cuts[e.Storage.File()] = size - less
	// A mapping that is kept shows zeros behind the end of the file, up to the end of the page.
	return errors.Join(truncate(w.store(), e.Storage.File(), size-less), w.close(), w.open())
}

// markCut notes which tensors are in files that were cut, in the store and in its snapshots.
func (w *world) markCut() error {
	if len(w.cuts) == 0 {
		return nil
	}
	err := w.markCutOf(w.model, "")
	for snap, s := range w.model.snaps {
		err = errors.Join(err, w.markCutOf(s, snap))
	}
	return err
}

func (w *world) markCutOf(s *state, snap string) error {
	for name, o := range s.names {
		if o.kind != catalog.KindTensor {
			continue
		}
		e, err := w.handles[0].Lookup(w.ctx, at(name, snap))
		if err != nil {
			return fmt.Errorf("%s: %w", at(name, snap), err)
		}
		left, cut := w.cuts[e.Storage.File()]
		s.bufs[o.buf].cut = cut && left < e.Storage.HeaderBytes+e.Storage.PayloadBytes
	}
	return nil
}

// mend notes that no file is cut.
func (s *state) mend() {
	for _, b := range s.bufs {
		b.cut = false
	}
	for _, snap := range s.snaps {
		snap.mend()
	}
}

// anyCut reports whether something can't be read because its file was cut.
func (s *state) anyCut() bool {
	for _, b := range s.bufs {
		if b.cut {
			return true
		}
	}
	for _, snap := range s.snaps {
		if snap.anyCut() {
			return true
		}
	}
	return false
}

// dropCut removes what was cut, so that the rest can be looked at.
func (w *world) dropCut() error {
	if !w.model.anyCut() {
		return nil
	}
	s, err := w.handles[0], error(nil)
	for name, snap := range w.model.snaps {
		if snap.anyCut() {
			_, e := s.RemoveSnapshot(w.ctx, name)
			err = errors.Join(err, e)
			delete(w.model.snaps, name)
		}
	}
	for _, name := range w.model.sorted() {
		if o := w.model.names[name]; o.kind == catalog.KindTensor && w.model.bufs[o.buf].cut {
			err = errors.Join(err, s.Delete(w.ctx, name))
			delete(w.model.names, name)
		}
	}
	w.model.drop()
	return err
}

// tells says whether Check tells of each tensor that was cut.
func (w *world) tells(s *tstore.Store) error {
	problems, err := s.Check(w.ctx)
	if err != nil {
		return err
	}
	told := map[string]bool{}
	for _, p := range problems {
		if p.Kind == tstore.ProblemShort || p.Kind == tstore.ProblemQuarantined {
			told[p.File] = true
		}
	}
	for name, o := range w.model.names {
		if o.kind != catalog.KindTensor || !w.model.bufs[o.buf].cut {
			continue
		}
		e, err := s.Lookup(w.ctx, name)
		if err != nil {
			return err
		}
		if !told[e.Storage.File()] {
			return fmt.Errorf("check does not tell that the file of %s was cut: %+v", name, problems)
		}
	}
	return nil
}

func truncate(dir, file string, size int64) error {
	return os.Truncate(filepath.Join(dir, filepath.FromSlash(file)), size)
}
