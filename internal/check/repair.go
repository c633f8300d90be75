package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// lostFound is the group that Repair moves records to that make no sense.
const lostFound = "lost+found"

// RepairOptions of Repair.
type RepairOptions struct {
	AcceptDirty []string
}

// Repair mends what Check finds and what needs no guess, takes storages out of use that it can't
// mend, and returns what it did.
func (s *Store) Repair(ctx context.Context, o *RepairOptions) ([]Problem, error) {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return nil, err
	}
	defer end()

	// Accepted writers come first: what they left can then be mended below.
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
	// Each round shows what the one before has uncovered: a storage may be out of use, then in the
	// middle of a small change, then have an old header.
	for range 3 {
		acted, err := s.repairFound(ctx)
		done = append(done, acted...)
		if err != nil || !slices.ContainsFunc(acted, Problem.hidesOthers) {
			return done, err
		}
	}
	return done, nil
}

// hidesOthers reports whether Check finds no other problem of a storage that has this one.
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
	// A storage without its bytes goes out of use, so that nobody reads or extends it.
	if p.Kind == ProblemMissing || p.Kind == ProblemShort {
		return true, s.UnderLock(ctx, p.storage, p.firstName(), s.quarantine)
	}

	if !p.Repairable {
		return false, nil
	}

	switch p.Kind {
	case ProblemRefs:
		return true, s.Engine.Commit(ctx, (*catalog.Tx).Recount)
	case ProblemHeader:
		return true, s.UnderLock(ctx, p.storage, p.firstName(), s.rewriteHeader)
	case ProblemPatch:
		return true, s.Engine.RecoverPatch(ctx, p.storage.ID, p.firstName())
	case ProblemQuarantined:
		return true, s.putBack(ctx, p.storage.ID)
	case ProblemBounds:
		return true, s.moveToLostFound(ctx, p.Names[0])
	default:
		return false, nil
	}
}

// firstName returns a tensor that has the problem, "" when none is known.
func (p Problem) firstName() string {
	if len(p.Names) == 0 {
		return ""
	}
	return p.Names[0]
}

// quarantine takes a storage out of use, unless its file has all its bytes by now, or another one
// has been restored from a snapshot. Its patch and the name of an unfinished writer stay, for
// putBack.
func (s *Store) quarantine(ctx context.Context, st catalog.Storage) error {
	if p := s.inspectFile(st); p == nil || p.Kind != ProblemMissing && p.Kind != ProblemShort {
		return nil
	}
	return s.changeState(ctx, st.ID, func(_ *catalog.Tx, now catalog.Storage) (catalog.State, error) {
		if !engine.SameFile(now, st) {
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
		case !errors.Is(err, store.ErrNotFound):
			return st.State, err
		case st.Writer != "":
			return catalog.Dirty, nil
		}
		return catalog.Clean, nil
	})
}

func (s *Store) changeState(ctx context.Context, id catalog.ID, next func(*catalog.Tx, catalog.Storage) (catalog.State, error)) error {
	return s.Engine.Commit(ctx, func(c *catalog.Tx) error {
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
	return s.UnderLock(ctx, info.Storage, name, func(ctx context.Context, st catalog.Storage) error {
		// The storage may be clean again by now: nothing is left to accept.
		if st.State != catalog.Dirty && !engine.IsUnwritten(st) {
			return nil
		}
		return s.Engine.Commit(ctx, func(c *catalog.Tx) error {
			now, err := c.Storage(st.ID)
			if err != nil {
				return err
			}
			if engine.IsUnwritten(now) {
				now.Boot = ""
			}
			acceptWriters(&now, info)
			now.Changes++
			return c.PutStorage(now)
		})
	})
}

// acceptWriters takes the marks off that writers left on elements of a tensor. The storage is clean
// when there are no others.
func acceptWriters(st *catalog.Storage, of *store.Info) {
	left := slices.DeleteFunc(slices.Clone(engine.Writers(*st)), func(w catalog.Writer) bool { return w.First == w.End || of.Meets(w) })
	st.Writers, st.Writer = left, ""
	if len(left) > 0 {
		st.Writer = left[0].Who
	} else if st.State == catalog.Dirty {
		st.State = catalog.Clean
	}
}

// rewriteHeader writes a storage's header again from the catalog. The header is that of the tensor
// that fills the storage, or else one of plain bytes.
func (s *Store) rewriteHeader(ctx context.Context, st catalog.Storage) error {
	h, err := s.Engine.HeaderFor(ctx, st)
	if err != nil {
		return err
	}
	b, err := h.Encode()
	if err != nil {
		return err
	}

	f, err := s.Engine.FS.OpenFile(s.Engine.DataPath(st), os.O_RDWR, 0)
	if err != nil {
		return err
	}

	// A short file gets no header: repair takes it out of use.
	err = storefile.MustBeLong(f, st.HeaderBytes+st.PayloadBytes)
	if err == nil {
		// The checksum is committed first. After a crash in between the header does not match it,
		// and the next repair writes it again.
		err = s.Engine.Commit(ctx, func(c *catalog.Tx) error {
			now, err := engine.StorageOf(c, st.ID)
			if err == nil && !engine.SameFile(now, st) {
				err = engine.ErrMoved
			}
			if err != nil {
				return err
			}
			now.HeaderSum = storefile.HeaderSum(b)
			return c.PutStorage(now)
		})
	}

	if err != nil {
		return errors.Join(err, f.Close())
	}

	return s.Engine.WriteRuns(f, []catalog.Run{{Bytes: b}}, 0)
}

// moveToLostFound takes a record that makes no sense out of the way.
func (s *Store) moveToLostFound(ctx context.Context, name string) error {
	return s.Engine.Commit(ctx, func(c *catalog.Tx) error {
		to := path.Join(lostFound, name)
		for n := 2; ; n++ {
			_, err := c.Get(to)
			if errors.Is(err, store.ErrNotFound) {
				return c.Rename(name, to)
			}
			if err != nil {
				return err
			}
			to = path.Join(lostFound, fmt.Sprintf("%s.%d", name, n))
		}
	})
}
