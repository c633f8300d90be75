package tstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

// lostFound is the group that Repair moves records to that make no sense.
const lostFound = "lost+found"

// RepairOptions of Repair. Nil means the defaults.
type RepairOptions struct {
	// AcceptDirty names tensors whose storage is to be taken as it is, though
	// an in-place writer did not finish.
	AcceptDirty []string
}

// Repair puts right what Check finds and what needs no guess, takes out of use
// what it can't put right, and returns what it did. It removes nothing and is
// idempotent.
func (s *Store) Repair(ctx context.Context, o *RepairOptions) ([]Problem, error) {
	end, err := s.beginChange()
	if err != nil {
		return nil, err
	}
	defer end()
	if o != nil && len(o.AcceptDirty) > 0 {
		if _, err := s.checkCatalog(ctx); err != nil {
			return nil, err // of a newer tstore, as it is
		}
		for _, name := range o.AcceptDirty {
			if err := s.acceptDirty(ctx, name); err != nil {
				return nil, fmt.Errorf("accept %q: %w", name, err)
			}
		}
	}
	var done []Problem
	for range 3 { // out of use, in the middle of a small change, with an old header
		acted, err := s.repairFound(ctx)
		done = append(done, acted...)
		if err != nil || !slices.ContainsFunc(acted, Problem.hidesOthers) {
			return done, err
		}
	}
	return done, nil
}

// hidesOthers tells whether Check finds no other problem of a storage that has
// this one.
func (p Problem) hidesOthers() bool {
	return p.Kind == ProblemPatch || p.Kind == ProblemQuarantined
}

// repairFound puts right what Check finds now, and returns what it did.
func (s *Store) repairFound(ctx context.Context) ([]Problem, error) {
	found, err := s.Check(ctx)
	if err != nil {
		return nil, err
	}
	var done []Problem
	var errs []error
	for _, p := range found {
		acted, err := s.repairProblem(ctx, p)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s %s: %w", p.Kind, p.File, err))
		} else if acted {
			done = append(done, p)
		}
	}
	return done, errors.Join(errs...)
}

func (s *Store) repairProblem(ctx context.Context, p Problem) (acted bool, err error) {
	if p.Kind == ProblemMissing || p.Kind == ProblemShort {
		return true, s.underLock(ctx, p.storage, p.firstName(), s.quarantine)
	}
	if !p.Repairable {
		return false, nil
	}
	switch p.Kind {
	case ProblemRefs:
		return true, s.commit(ctx, (*catalog.Tx).Recount)
	case ProblemHeader:
		return true, s.underLock(ctx, p.storage, p.firstName(), s.rewriteHeader)
	case ProblemPatch:
		return true, s.recoverPatch(ctx, p.storage.ID, p.firstName())
	case ProblemQuarantined:
		return true, s.putBack(ctx, p.storage.ID)
	case ProblemBounds:
		return true, s.moveToLostFound(ctx, p.Names[0])
	default:
		return false, nil
	}
}

// firstName is a tensor that has the problem, "" when none is known.
func (p Problem) firstName() string {
	if len(p.Names) == 0 {
		return ""
	}
	return p.Names[0]
}

// underLock runs fix on the storage as it is once nobody else writes it.
func (s *Store) underLock(ctx context.Context, st catalog.Storage, name string, fix func(context.Context, catalog.Storage) error) error {
	lock, err := s.lockStorage(ctx, st.ID, name)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	now, err := s.storageNow(ctx, st.ID)
	if errors.Is(err, ErrNotFound) {
		return errMoved
	}
	if err != nil {
		return err
	}
	return fix(ctx, now)
}

// quarantine takes a storage out of use, unless its file has all its bytes by now, or another one
// has been restored from a snapshot. The journal and the name of an unfinished writer stay, for putBack.
func (s *Store) quarantine(ctx context.Context, st catalog.Storage) error {
	if p := s.inspectFile(st); p == nil || p.Kind != ProblemMissing && p.Kind != ProblemShort {
		return nil
	}
	return s.changeState(ctx, st.ID, func(_ *catalog.Tx, now catalog.Storage) (catalog.State, error) {
		if !sameFile(now, st) {
			return now.State, nil
		}
		return catalog.Quarantined, nil
	})
}

// putBack ends a quarantine. The storage gets the state that it had before.
func (s *Store) putBack(ctx context.Context, id catalog.ID) error {
	return s.changeState(ctx, id, func(c *catalog.Tx, st catalog.Storage) (catalog.State, error) {
		_, err := c.Patch(id)
		switch {
		case st.State != catalog.Quarantined:
			return st.State, nil
		case err == nil:
			return catalog.Patching, nil
		case !errors.Is(err, ErrNotFound):
			return st.State, err
		case st.Writer != "":
			return catalog.Dirty, nil
		}
		return catalog.Clean, nil
	})
}

func (s *Store) changeState(ctx context.Context, id catalog.ID, next func(*catalog.Tx, catalog.Storage) (catalog.State, error)) error {
	return s.commit(ctx, func(c *catalog.Tx) error {
		st, err := c.Storage(id)
		if err != nil {
			return err
		}
		if st.State, err = next(c, st); err != nil {
			return err
		}
		return c.PutStorage(st)
	})
}

// acceptDirty takes the mark of an unfinished in-place writer off a storage.
func (s *Store) acceptDirty(ctx context.Context, name string) error {
	if err := catalog.CheckName(name); err != nil {
		return err
	}
	info, err := s.Stat(ctx, name)
	if err != nil {
		return err
	}
	return s.underLock(ctx, info.Storage, name, func(ctx context.Context, st catalog.Storage) error {
		if st.State != catalog.Dirty && !isUnwritten(st) {
			return nil
		}
		return s.commit(ctx, func(c *catalog.Tx) error {
			now, err := c.Storage(st.ID)
			if err != nil {
				return err
			}
			if isUnwritten(now) {
				now.Boot = ""
			}
			acceptWriters(&now, info)
			now.Changes++
			return c.PutStorage(now)
		})
	})
}

// acceptWriters takes the marks off that writers left on elements of a tensor.
// The storage is clean when there are no others.
func acceptWriters(st *catalog.Storage, of *Info) {
	left := slices.DeleteFunc(slices.Clone(writers(*st)), func(w catalog.Writer) bool { return w.First == w.End || of.meets(w) })
	st.Writers, st.Writer = left, ""
	if len(left) > 0 {
		st.Writer = left[0].Who
	} else if st.State == catalog.Dirty {
		st.State = catalog.Clean
	}
}

// rewriteHeader writes a storage's header again from the catalog: that of the
// tensor that fills the storage when there is one, else one of plain bytes.
func (s *Store) rewriteHeader(ctx context.Context, st catalog.Storage) error {
	h, err := s.headerFor(ctx, st)
	if err != nil {
		return err
	}
	b, err := h.encode()
	if err != nil {
		return err
	}
	f, err := s.fs.OpenFile(s.dataPath(st), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = mustBeLong(f, st.HeaderBytes+st.PayloadBytes)
	if err == nil {
		err = s.commit(ctx, func(c *catalog.Tx) error {
			now, err := storageOf(c, st.ID)
			if err == nil && !sameFile(now, st) {
				err = errMoved
			}
			if err != nil {
				return err
			}
			now.HeaderSum = headerSum(b)
			return c.PutStorage(now)
		})
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	return s.writeRuns(f, []catalog.Run{{Bytes: b}}, 0)
}

func (s *Store) headerFor(ctx context.Context, st catalog.Storage) (h fileHeader, err error) {
	present, _ := s.readHeader(st)
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
		h, err = headerIn(c, st, present)
		return err
	})
	return h, err
}

// headerIn is the header of a storage that a catalog has, where its file has the
// present one.
func headerIn(c *catalog.Tx, st catalog.Storage, present fileHeader) (fileHeader, error) {
	names, err := c.Sharers(st.ID, problemNames)
	if err != nil {
		return fileHeader{}, err
	}
	var records []catalog.Record
	for _, name := range names {
		if rec, err := c.Get(name); err == nil {
			records = append(records, rec)
		}
	}
	return headerOf(st, present, records, len(names) < problemNames)
}

// headerOf is the header of a storage that tensors share: that of the one that has
// the elements of all of them, from the first byte on; or else the present one, if it
// describes these; or one of plain bytes. all says that there are no
// other tensors: such may have elements up to the end.
func headerOf(st catalog.Storage, present fileHeader, records []catalog.Record, all bool) (fileHeader, error) {
	own := present.spare.Storage == st.ID
	packed := own && present.spare.Pack != nil
	reach := st.PayloadBytes
	if all && !packed {
		reach = reachOf(records)
	}
	for _, rec := range records {
		l, err := recordLayout(rec)
		if err != nil || l.Offset() != 0 || !l.IsDense() || int64(l.NumElems())*int64(rec.DType.Size()) != reach {
			continue
		}
		switch {
		case l.IsContiguous():
			return recordHeader(rec, st, RowMajor)
		case l.IsFortran():
			return recordHeader(rec, st, ColumnMajor)
		}
	}
	h := plainHeader(st)
	if packed {
		h.spare.Pack = present.spare.Pack
	} else if n, err := (Spec{DType: present.dtype, Shape: present.shape}).NumBytes(); own && err == nil && reach <= n && n <= st.PayloadBytes {
		h.dtype, h.shape, h.order = present.dtype, present.shape, present.order
		h.spare.Name, h.spare.Dims, h.spare.Modified = present.spare.Name, present.spare.Dims, present.spare.Modified
	}
	return h, nil
}

// reachOf is the end of the last of the elements of tensors, in bytes of the
// payload.
func reachOf(records []catalog.Record) (end int64) {
	for _, rec := range records {
		if l, err := recordLayout(rec); err == nil {
			_, hi := l.Bounds()
			end = max(end, int64(hi)*int64(rec.DType.Size()))
		}
	}
	return end
}

// readHeader is the header that the file of a storage has. Of one that is not what
// was written last, only the list of tensors counts.
func (s *Store) readHeader(st catalog.Storage) (fileHeader, error) {
	h, sum, err := s.anyHeader(st)
	if sum != st.HeaderSum {
		h.dtype = dtype.Invalid
	}
	return h, err
}

// anyHeader is the header that the file of a storage has, whether or not it is what was
// written last, and its checksum.
func (s *Store) anyHeader(st catalog.Storage) (h fileHeader, sum uint32, err error) {
	f, err := s.fs.OpenFile(s.dataPath(st), os.O_RDONLY, 0)
	if err != nil {
		return h, 0, err
	}
	defer f.Close()
	b := make([]byte, headerBytes)
	if _, err := f.ReadAt(b, 0); err != nil {
		return h, 0, err
	}
	h, err = presentHeader(bytes.NewReader(b))
	return h, headerSum(b), err
}

// presentHeader reads the header of a storage file.
func presentHeader(r io.Reader) (fileHeader, error) {
	h, sp, err := parseFileHeader(r)
	if err != nil {
		return fileHeader{}, err
	}
	present := fileHeader{dtype: h.DType, shape: h.Shape, spare: sp}
	if h.Fortran {
		present.order = ColumnMajor
	}
	return present, nil
}

// moveToLostFound takes a record that makes no sense out of the way.
func (s *Store) moveToLostFound(ctx context.Context, name string) error {
	return s.commit(ctx, func(c *catalog.Tx) error {
		to := path.Join(lostFound, name)
		for n := 2; ; n++ {
			_, err := c.Get(to)
			if errors.Is(err, ErrNotFound) {
				return c.Rename(name, to)
			}
			if err != nil {
				return err
			}
			to = path.Join(lostFound, fmt.Sprintf("%s.%d", name, n))
		}
	})
}
