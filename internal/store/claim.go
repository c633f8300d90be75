package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/view"
)

// claim is the right to write parts of one storage in place, beside others who write other parts.
//
// Two locks go with it: the byte of the storage, shared, keeps off those who need all of the
// storage, and a byte of its own says that the writer lives. Which parts it has stands in the
// catalog, where one transaction compares them with those of the others and adds them. An entry
// whose byte nobody holds is that of a writer that died, or gave up.
type claim struct {
	store  *Store
	id     catalog.ID
	key    int64
	locks  []*filelock.Held
	writes []*Info // the parts, as they were when they were entered
}

// takenError says that parts of a storage are being written by others.
type takenError struct {
	part *Info
	by   []catalog.Writer
}

func (e *takenError) Error() string {
	return fmt.Sprintf("%v: %q shares elements with what %s is writing in place: write another part, or wait until it has finished", ErrBusy, e.part.Selector, engine.Tell(e.by))
}

func (e *takenError) Unwrap() error { return ErrBusy }

// claimStorage takes the locks of a claim. If patient is set it waits for those who have the whole
// storage.
func (s *Store) claimStorage(ctx context.Context, id catalog.ID, name string, patient bool) (*claim, error) {
	lock := s.Engine.LockStorageSoonAs
	if patient {
		lock = s.Engine.LockStorageAs
	}

	// Shared with the other writers of parts; it keeps out those who need the whole storage.
	shared, err := lock(ctx, id, name, filelock.Shared)
	if err != nil {
		return nil, err
	}

	// The lock on the writer's own key tells others that this writer lives. A random key that is
	// taken is tried again.
	c := &claim{store: s, id: id, locks: []*filelock.Held{shared}}
	for {
		c.key = engine.FirstWriterKey + rand.Int64N(engine.FirstWriterKey)
		own, err := filelock.TryLock(s.Engine.LockPath(), c.key, filelock.Exclusive)
		if err == nil {
			c.locks = append(c.locks, own)
			return c, nil
		}
		if !errors.Is(err, filelock.ErrHeld) {
			return nil, errors.Join(err, c.release())
		}
	}
}

// enter adds the parts that are written to the storage's record. It returns an error if others
// write one of these parts, or one of those that are read.
func (c *claim) enter(st *catalog.Storage, writes, reads []*Info) error {
	all := engine.Writers(*st)
	entered, err := fewParts(*st, writes)
	if err != nil {
		return err
	}

	for _, part := range slices.Concat(reads, entered) {
		if err := c.mustBeFree(part, part.WritersOf(all)); err != nil {
			return err
		}
	}

	if len(all)+len(entered) > catalog.MaxWriters {
		return fmt.Errorf("%w: %d parts of its storage are written in place, and %d are the most: wait until some are finished", ErrBusy, len(all), catalog.MaxWriters)
	}

	// The record is dirty from the commit on, before the first byte is written: after a crash
	// readers are warned.
	now := time.Now().UTC()
	st.Writers = append([]catalog.Writer(nil), all...)
	for _, part := range entered {
		st.Writers = append(st.Writers, part.asWriter(c.key, now))
	}
	st.State, st.Writer = catalog.Dirty, st.Writers[0].Who
	c.writes = writes
	return nil
}

// maxWriteParts is how many parts of a storage one writer has before they are taken as one.
const maxWriteParts = 16

// fewParts returns the parts, or all of the storage when they are many.
func fewParts(st catalog.Storage, parts []*Info) ([]*Info, error) {
	if len(parts) <= maxWriteParts {
		return parts, nil
	}
	l, err := view.NewLayout(int(st.PayloadBytes))
	if err != nil {
		return nil, err
	}
	all := *parts[0]
	all.Selector, all.Layout, all.DType = Selector{Name: all.Record.Name}, l, dtype.Uint8
	return []*Info{&all}, nil
}

// mustBeFree returns a takenError if living writers have part, and ErrDirty if dead ones had it,
// unless that is allowed.
func (c *claim) mustBeFree(part *Info, by []catalog.Writer) error {
	var dead, atWork []catalog.Writer
	for _, w := range by {
		lives, err := c.store.Engine.IsAtWork(c.id, w)
		switch {
		case err != nil:
			return err
		case lives && w.Key != 0: // nobody has the whole storage while c has it with others
			atWork = append(atWork, w)
		default:
			dead = append(dead, w)
		}
	}

	switch {
	case len(atWork) > 0:
		return &takenError{part, atWork}
	case len(dead) > 0 && !c.store.Engine.Options.AllowDirty:
		return engine.UnfinishedWriting(dead)
	}
	return nil
}

// bytes returns those between the first and the last element of all parts, half-open.
func (c *claim) bytes() (first, end int64) {
	for _, part := range c.writes {
		switch from, to := part.Bytes(); {
		case from == to: // no elements
		case first == end:
			first, end = from, to
		default:
			first, end = min(first, from), max(end, to)
		}
	}
	return first, end
}

// leave takes the entries of the claim off the storage's record, which is clean if there are no
// others.
func (c *claim) leave(st *catalog.Storage) {
	st.Writers, st.Writer = st.Without(c.key), ""
	switch {
	case len(st.Writers) > 0:
		st.Writer = st.Writers[0].Who
	case st.State == catalog.Dirty:
		st.State = catalog.Clean
	}
}

// release gives the locks back. From then on, entries of the claim that are still in the record are
// those of a dead writer.
func (c *claim) release() error {
	var errs []error
	for _, l := range c.locks {
		errs = append(errs, l.Unlock())
	}
	c.locks = nil
	return errors.Join(errs...)
}

// await waits until the first of the writers in the way has finished or died. It gives up when the
// patience for locks is over, counted from began.
func (e *takenError) await(ctx context.Context, s *Store, began time.Time) error {
	w := e.by[0]
	what := fmt.Sprintf("%s, for bytes %d to %d of it (%s)", engine.WriteLockOf(e.part.Storage.ID, e.part.Record.Name), w.First, w.End, w.Part)
	lock, err := engine.LockByteSince(ctx, s.Engine.LockPath(), w.Key, filelock.Shared, began, s.Engine.Options.Patience(), what)
	if err != nil {
		return err
	}
	return lock.Unlock()
}
