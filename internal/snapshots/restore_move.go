package snapshots

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// commit restores the storages first and then the records that name them, in one transaction.
func (r *restoring) commit(c *catalog.Tx) error {
	// A commit that is tried again begins with empty results.
	r.plan, r.resealed, r.touched = RestorePlan{}, map[catalog.ID]bool{}, map[catalog.ID]bool{}
	r.copied = map[catalog.ID]catalog.ID{}

	if now, err := c.Snapshot(r.snap.Name); err != nil {
		return err
	} else if now.ID != r.snap.ID {
		return fmt.Errorf("%w: there is another snapshot of that name now", store.ErrConflict)
	}

	// Remember the storages as they are: deleting names may drop them, and versions depend on them.
	before := map[catalog.ID]catalog.Storage{}
	for id := range r.files {
		st, err := c.Storage(id)
		if err == nil {
			before[id] = st
		} else if !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}

	// Delete first: a storage that only deleted names use may then get its file back.
	if err := r.deleteOthers(c); err != nil {
		return err
	}

	// Then the storages, and then the records that name them.
	moved, placed := map[catalog.ID]bool{}, map[catalog.ID]catalog.Storage{}
	for id, f := range r.files {
		old, known := before[id]
		var err error
		if moved[id], err = r.putStorage(c, f, old, known); err != nil {
			return err
		}
		if placed[id], err = c.Storage(id); err != nil {
			return err
		}
	}

	for _, rec := range r.records {
		if err := keepStorage(c, rec, placed); err != nil {
			return fmt.Errorf("%q: %w", rec.Name, err)
		}
		if err := r.put(c, rec, before, moved); err != nil {
			return fmt.Errorf("%q: %w", rec.Name, err)
		}
	}

	// Headers last: each describes all tensors that its storage has in the end.
	for id := range r.touched {
		if err := r.store.Engine.Describe(c, id); err != nil {
			return err
		}
	}
	return nil
}

// keepStorage puts back the storage of a record that is to be restored. The storage may have gone
// with the last name that it had, if that name stands for something else in the snapshot.
func keepStorage(c *catalog.Tx, rec catalog.Record, placed map[catalog.ID]catalog.Storage) error {
	st, ok := placed[rec.Storage]
	if !ok {
		return nil
	}
	if _, err := c.Storage(st.ID); !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return c.RestoreStorage(st)
}

// deleteOthers deletes the names that the snapshot does not have, if all of it is restored.
func (r *restoring) deleteOthers(c *catalog.Tx) error {
	if !r.all {
		return nil
	}

	// The names are deleted after the walk, which a change would disturb.
	for rec, err := range c.Records() {
		if err != nil {
			return err
		}
		if !r.wanted[rec.Name] {
			r.plan.Deleted = append(r.plan.Deleted, rec.Name)
		}
	}

	for _, name := range r.plan.Deleted {
		if err := c.Delete(name); err != nil {
			return err
		}
	}
	return nil
}

// putStorage gives a storage the file that the snapshot has. old is the storage as it was, if
// known. It reports whether the elements have changed.
func (r *restoring) putStorage(c *catalog.Tx, f *heldFile, old catalog.Storage, known bool) (moved bool, err error) {
	id := f.storage.ID
	if known && old.Gen == f.storage.Gen {
		// What was appended since may stay behind the rows of the snapshot.
		return false, r.reseal(c, f, old)
	}

	// Tensors that are not restored keep the present file: those of the snapshot get a copy.
	shared, err := r.isShared(c, id)
	if err != nil {
		return false, err
	}
	if shared {
		st, ok := r.copies[id]
		if !ok {
			return false, errNotCopied
		}
		r.plan.Copied += st.Storage.PayloadBytes
		r.copied[id] = st.Storage.ID
		return true, c.PutStorage(st.Storage)
	}

	// The writer of a storage that is not clean may be at work in the file that is replaced now.
	// What a dead one has left goes with that file.
	if known && old.State != catalog.Clean {
		if busy, err := r.store.Engine.StorageBusy(id); err != nil || busy {
			return false, errors.Join(err, fmt.Errorf("%w: %s is writing storage %v in place", store.ErrBusy, old.Writer, id))
		}
	}

	st := f.restored(old, known)
	if err := r.store.matchFile(&st); err != nil {
		return false, err
	}
	return true, errors.Join(c.ClearPatch(id), c.RestoreStorage(st))
}

// restored returns the storage with the file of the snapshot. Its numbers go on from those of old,
// if known, and of all snapshots.
func (f *heldFile) restored(old catalog.Storage, known bool) catalog.Storage {
	st := f.storage
	st.Changes, st.Spans = max(f.changes, old.Changes)+1, nil
	if st.Adopted {
		return st
	}
	st.NextGen = max(st.Next(), f.maxGen+1)
	if known {
		st.NextGen = max(st.NextGen, old.Next())
	}
	return st
}

// put brings a record back, unless it is unchanged.
func (r *restoring) put(c *catalog.Tx, rec catalog.Record, before map[catalog.ID]catalog.Storage, moved map[catalog.ID]bool) error {
	now, err := c.Get(rec.Name)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}

	known := err == nil
	if known && !moved[rec.Storage] && meansSame(now, rec) {
		if r.resealed[rec.Storage] {
			r.plan.Changed = append(r.plan.Changed, rec.Name)
		}
		return nil
	}

	if copied, ok := r.copied[rec.Storage]; ok {
		rec.Storage = copied
	} else if rec.Kind == catalog.KindTensor {
		r.touched[rec.Storage] = true
	}

	// The version rises above both: whoever saw either state notices the change.
	if known && now.Kind == catalog.KindTensor {
		st, err := c.Storage(now.Storage)
		if err != nil {
			return err
		}
		if was, ok := before[now.Storage]; ok {
			st = was
		}
		rec.Version = max(rec.Version, record.Version(&now, &st)+1)
	}

	rec.Modified = time.Time{} // now
	if known {
		r.plan.Changed = append(r.plan.Changed, rec.Name)
	} else {
		r.plan.Created = append(r.plan.Created, rec.Name)
	}
	return c.PutBack(rec)
}

// meansSame reports whether two records of one name differ at most in their versions and times.
func meansSame(a, b catalog.Record) bool {
	a.Version, a.Modified = b.Version, b.Modified
	return reflect.DeepEqual(a, b)
}

// matchFile takes over what a file of a snapshot has gained since. Its header may describe rows
// that were appended later. Those rows may still be mapped.
func (s *Store) matchFile(st *catalog.Storage) error {
	if st.Adopted {
		return nil
	}

	f, err := s.Engine.FS.OpenFile(s.Engine.DataPath(*st), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s", store.ErrMissing, s.Engine.DataPath(*st))
	}
	if err != nil {
		return err
	}

	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return err
	}

	// What lies behind the payload counts as written, so that no append writes over it.
	st.Written = max(0, fi.Size()-st.HeaderBytes)

	b := make([]byte, storefile.HeaderBytes)
	if _, err := f.ReadAt(b, 0); err != nil {
		return err
	}

	// A header that others have written since is the one to be expected, if it is of this storage.
	if _, sp, err := storefile.ParseHeader(bytes.NewReader(b)); err == nil && sp.Storage == st.ID {
		st.HeaderSum = storefile.HeaderSum(b)
	}
	return nil
}
