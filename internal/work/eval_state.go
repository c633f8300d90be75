package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/store"
)

// tornError says that the elements read together are of several states of the store. It is an
// ErrConflict.
type tornError struct {
	names []string
	// storages are the storages that were read.
	storages map[catalog.ID]string
	// locked is set if the evaluation locks storages whose elements it changes.
	locked bool
}

func (e *tornError) Error() string {
	return fmt.Sprintf("%s: %v while they were read together: read again, or read them in a snapshot", strings.Join(e.names, ", "), store.ErrConflict)
}

// Is makes a tornError an ErrConflict.
func (e *tornError) Is(target error) bool { return target == store.ErrConflict }

const (
	// looseTries is how often something is evaluated without locks.
	looseTries = 2
	// pinPatience is how long each wait for the locks lasts then.
	pinPatience = time.Second
)

// oneState runs fn, which evaluates something and changes nothing before that is done, again while
// others change what it reads. In the end it has the storages locked that fn read, so that small
// changes in place wait, unless others keep their locks: then it goes on without, as long as locks
// are waited for.
func (s *Store) oneState(ctx context.Context, fn func(p *pins) error) error {
	p := &pins{store: s}
	defer p.release()
	began := time.Now()
	for try := 1; ; try++ {
		err := fn(p)
		var torn *tornError
		if !errors.As(err, &torn) || ctx.Err() != nil || try > looseTries && time.Since(began) > s.Engine.Options.Patience() {
			return err
		}
		p.release()
		if try >= looseTries && !torn.locked {
			p.take(ctx, torn.storages)
		}
	}
}

// pins are shared locks of storages that an evaluation reads.
type pins struct {
	store *Store
	locks map[int64]*filelock.Held
}

// take locks storages in the order of their keys, or none of them.
func (p *pins) take(ctx context.Context, storages map[catalog.ID]string) {
	p.locks = map[int64]*filelock.Held{}

	// The order keeps two evaluations from waiting for each other in a ring.
	var ids []catalog.ID
	for id := range storages {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b catalog.ID) int { return cmp.Compare(engine.StorageKey(a), engine.StorageKey(b)) })

	for _, id := range ids {
		key := engine.StorageKey(id)
		if p.locks[key] != nil {
			continue
		}

		lock, err := engine.LockByte(ctx, p.store.Engine.LockPath(), key, filelock.Shared, pinPatience, engine.WriteLockOf(id, storages[id]))
		if err != nil {
			p.release()
			return
		}
		p.locks[key] = lock
	}
}

func (p *pins) release() {
	for _, lock := range p.locks {
		_ = lock.Unlock() // the byte is free whatever it returns
	}
	p.locks = nil
}

// LookedUp returns what the evaluation has looked up in the store, by name.
func (ev *evaluation) LookedUp() iter.Seq2[string, *catalog.Entry] {
	return func(yield func(string, *catalog.Entry) bool) {
		for name, t := range ev.opened {
			if t.Info.Selector.Snapshot == "" && !yield(name, t.Info.Entry) {
				return
			}
		}
		for name, e := range ev.noted {
			if !yield(name, e) {
				return
			}
		}
	}
}

// note adds a name of the store to what has been looked up.
func (ev *evaluation) note(name string, e *catalog.Entry) {
	if strings.IndexByte(name, '@') >= 0 {
		return
	}
	if ev.noted == nil {
		ev.noted = map[string]*catalog.Entry{}
	}
	ev.noted[name] = e
}

// pin checks, before anything is computed, that what was looked up is of one state, if the
// evaluation has locks that keep it so.
func (ev *evaluation) pin() error {
	if ev.pins == nil || ev.pins.locks == nil {
		return nil
	}
	ev.pinned = false
	for id, name := range ev.storagesRead() {
		if ev.pins.locks[engine.StorageKey(id)] == nil {
			return ev.torn([]string{name})
		}
	}
	err := ev.still()
	ev.pinned = err == nil
	return err
}

// still returns a tornError if what was looked up, and the elements that were read since, do not
// belong to one state of the store, the present one. A transaction finds that out when it commits.
// With dirty reads, or after elements were stored in place, nothing is checked.
func (ev *evaluation) still() error {
	if ev.pinned || ev.storesInPlace() {
		return nil
	}
	err := ev.store.OneState(ev.ctx, ev)
	torn, ok := errors.AsType[*tornError](err)
	switch {
	case !ok:
		return err
	case slices.ContainsFunc(torn.names, func(name string) bool { return ev.made[name] != nil }):
		return store.PublicConflict(&store.ConflictError{Names: torn.names})
	}
	return ev.torn(torn.names)
}

// newPlan binds statements. If something does not fit together, it returns the error only if all
// names were looked up in one state of the store.
func (ev *evaluation) newPlan(stmts []compute.Statement, env compute.Env) (*compute.Plan, error) {
	p, err := compute.NewPlan(ev.ctx, stmts, env, &ev.opts.Compute)
	return p, ev.inOneState(err)
}

// inOneState returns err if the store is still in the state that was looked up. Otherwise others
// may have caused err: it returns a tornError, or in a transaction a *ConflictError. If that can't
// be found out, it returns err with the reason.
func (ev *evaluation) inOneState(err error) error {
	if err == nil {
		return nil
	}
	torn := ev.still
	if tx := ev.store.Within; tx != nil {
		torn = func() error { return ev.store.Engine.Catalog.View(ev.ctx, tx.Unchanged) }
	}
	conflict := torn()
	if errors.Is(conflict, store.ErrConflict) {
		return conflict
	}
	return errors.Join(err, conflict)
}

func (ev *evaluation) torn(names []string) error {
	return &tornError{names: names, storages: ev.storagesRead(), locked: ev.locks}
}

// storagesRead returns the storages of the store that have been looked up, each with a name.
func (ev *evaluation) storagesRead() map[catalog.ID]string {
	all := map[catalog.ID]string{}
	for name, e := range ev.LookedUp() {
		if e.Record.Kind == catalog.KindTensor && !e.Storage.Adopted {
			all[e.Record.Storage] = name
		}
	}
	return all
}

// storesInPlace reports whether elements may have been stored that nobody takes back.
func (ev *evaluation) storesInPlace() bool { return ev.opts.InPlace && len(ev.changing.byID) > 0 }
