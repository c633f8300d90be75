package tstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog"
)

// Restored says what RestoreSnapshot has done.
type Restored struct {
	// Changed are the names that were there and stand for something else now,
	// or were not there; Deleted are those that the snapshot does not have.
	Changed, Deleted int
	// Copied are the bytes of elements that were copied; see RestoreSnapshot.
	Copied int64
}

// RestoreSnapshot brings back what a snapshot has, in one transaction: the
// tensors, blobs and groups of those names, or without names everything, so that
// names made since are deleted. The snapshot stays, and so do later ones. Views
// that share a storage with what is restored by name, but are not restored
// themselves, keep their elements: then, and only then, elements are copied.
//
// A tensor that someone is writing in place is ErrBusy. One that a dead writer
// left dirty is clean again when it is restored.
func (s *Store) RestoreSnapshot(ctx context.Context, name string, names ...string) (Restored, error) {
	end, err := s.beginChange()
	if err != nil {
		return Restored{}, err
	}
	defer end()
	snap, err := s.snapshotNamed(ctx, name)
	if err != nil {
		return Restored{}, err
	}
	r := &restoring{store: s, snap: snap, all: len(names) == 0}
	err = s.withImage(snap, func(m *catalog.Image) error { return errors.Join(m.Verify(ctx), r.load(ctx, m, names)) })
	if err == nil {
		err = r.run(ctx)
	}
	if err != nil {
		return Restored{}, fmt.Errorf("restore snapshot %q: %w", name, err)
	}
	return r.done, nil
}

// restoring is a RestoreSnapshot at work.
type restoring struct {
	store   *Store
	snap    catalog.Snapshot
	all     bool
	records []catalog.Record // to be there, in order
	wanted  map[string]bool  // their names
	// files are the storages that they use, as the last of the snapshots that
	// have the same file knows it.
	files map[catalog.ID]*heldFile
	// copies are new storages with elements of the snapshot, by its own.
	copies map[catalog.ID]*staged
	done   Restored
}

// heldFile is a storage of the snapshot with what all snapshots know of it.
type heldFile struct {
	storage catalog.Storage
	maxGen  uint32
	changes uint64 // the most
}

// load reads what is to be restored.
func (r *restoring) load(ctx context.Context, m *catalog.Image, names []string) error {
	r.wanted, r.files = map[string]bool{}, map[catalog.ID]*heldFile{}
	return m.View(ctx, func(c *catalog.Tx) error {
		if r.all {
			for rec, err := range c.Records() {
				if err := errors.Join(err, r.want(c, rec)); err != nil {
					return err
				}
			}
			return nil
		}
		for _, name := range names {
			if err := r.wantNamed(ctx, c, m, strings.TrimSuffix(name, "/")); err != nil {
				return err
			}
		}
		return nil
	})
}

// wantNamed takes in a name, or what is in a group.
func (r *restoring) wantNamed(ctx context.Context, c *catalog.Tx, m *catalog.Image, name string) error {
	rec, err := c.Get(name)
	if err == nil {
		return r.want(c, rec)
	}
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	after, n := "", 0
	for {
		page, err := c.List(name, after, true, listPage)
		if err != nil {
			return err
		}
		for _, item := range page {
			if err := r.want(c, item.Record); err != nil {
				return err
			}
			after = item.Name
		}
		if n += len(page); n == 0 {
			return notInSnapshot(ctx, m, name)
		}
		if len(page) < listPage {
			return nil
		}
	}
}

// want takes in a record, and its storage.
func (r *restoring) want(c *catalog.Tx, rec catalog.Record) error {
	if r.wanted[rec.Name] {
		return nil
	}
	r.wanted[rec.Name] = true
	r.records = append(r.records, rec)
	if rec.Kind != catalog.KindTensor || r.files[rec.Storage] != nil {
		return nil
	}
	st, err := c.Storage(rec.Storage)
	r.files[rec.Storage] = &heldFile{storage: st, maxGen: st.Gen, changes: st.Changes}
	return err
}

// run commits, after copying what can't be had otherwise.
func (r *restoring) run(ctx context.Context) error {
	for try := 1; ; try++ {
		if err := r.compare(ctx); err != nil {
			return err
		}
		files, err := r.copyShared(ctx)
		if err == nil {
			err = r.store.publish(ctx, files, r.commit)
		}
		if !errors.Is(err, errNotCopied) || try == attempts {
			return err
		}
	}
}

// compare looks at what the other snapshots know of the files.
func (r *restoring) compare(ctx context.Context) error {
	snaps, err := r.store.Snapshots(ctx)
	if err != nil {
		return err
	}
	for _, snap := range snaps {
		if snap.ID == r.snap.ID {
			continue
		}
		err := r.store.withImage(snap, func(m *catalog.Image) error {
			return m.View(ctx, func(c *catalog.Tx) error {
				for id, f := range r.files {
					if err := f.compare(c, id); err != nil {
						return err
					}
				}
				return nil
			})
		})
		if err != nil {
			return r.store.unlessRemoved(ctx, snap, err)
		}
	}
	return nil
}

// unlessRemoved is err, an error of reading a snapshot, or ErrConflict if that
// has been removed meanwhile.
func (s *Store) unlessRemoved(ctx context.Context, snap catalog.Snapshot, err error) error {
	now, look := s.snapshotNamed(ctx, snap.Name)
	if errors.Is(look, ErrNotFound) || look == nil && now.ID != snap.ID {
		return fmt.Errorf("%w: snapshot %q was removed meanwhile: try again", ErrConflict, snap.Name)
	}
	return err
}

// compare takes over what is newer in another snapshot: rows that were appended
// to the file, and numbers that must not be used again.
func (f *heldFile) compare(c *catalog.Tx, id catalog.ID) error {
	st, err := c.Storage(id)
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	f.maxGen, f.changes = max(f.maxGen, st.Next()-1), max(f.changes, st.Changes)
	if st.Gen == f.storage.Gen && st.PayloadBytes > f.storage.PayloadBytes {
		born := f.storage.Born
		f.storage = st
		f.storage.Born = born
	}
	return nil
}

// errNotCopied: elements are shared that were not when it was looked.
var errNotCopied = fmt.Errorf("%w: storages are shared that were not: try again", ErrConflict)

// copyShared copies the elements of storages that other names go on using with
// the file they have now.
func (r *restoring) copyShared(ctx context.Context) ([]*staged, error) {
	r.copies, r.done.Copied = map[catalog.ID]*staged{}, 0
	var shared []catalog.Storage
	err := r.store.cat.View(ctx, func(c *catalog.Tx) error {
		shared = nil
		for id, f := range r.files {
			yes, err := r.isShared(c, id)
			if err != nil {
				return err
			}
			if yes {
				shared = append(shared, f.storage)
			}
		}
		return nil
	})
	var files []*staged
	for _, old := range shared {
		var st *staged
		if st, err = r.store.copyStorage(ctx, old); err != nil {
			break
		}
		files = append(files, st)
		r.copies[old.ID] = st
		r.done.Copied += old.PayloadBytes
	}
	if err != nil {
		for _, st := range files {
			err = errors.Join(err, st.discard())
		}
		return nil, err
	}
	return files, nil
}

// isShared reports whether a storage has another file now, which names that are
// not restored use.
func (r *restoring) isShared(c *catalog.Tx, id catalog.ID) (bool, error) {
	now, err := c.Storage(id)
	if errors.Is(err, ErrNotFound) || err == nil && (r.all || now.Gen == r.files[id].storage.Gen) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	names, err := c.Sharers(id, 0)
	for _, name := range names {
		if !r.wanted[name] {
			return true, err
		}
	}
	return false, err
}

// copyStorage makes a new storage of the elements of another.
func (s *Store) copyStorage(ctx context.Context, old catalog.Storage) (*staged, error) {
	st, err := s.stageNew()
	if err != nil {
		return nil, err
	}
	st.storage.PayloadBytes, st.storage.Sparse = old.PayloadBytes, old.Sparse
	if err := st.cloneFrom(ctx, &Info{Entry: &catalog.Entry{Storage: old}}); err != nil {
		return nil, errors.Join(err, st.discard())
	}
	st.copyHeader()
	return st, nil
}

// copyHeader gives a copied file a header of its own, which describes the same
// if it can.
func (st *staged) copyHeader() {
	h, sp, err := parseFileHeader(io.NewSectionReader(st.file, 0, headerBytes))
	n, sized := payloadOf(h)
	if err != nil || sized != nil || n != st.storage.PayloadBytes {
		st.header = plainHeader(st.storage)
		return
	}
	st.header = fileHeader{dtype: h.DType, shape: h.Shape, spare: sp}
	if h.Fortran {
		st.header.order = ColumnMajor
	}
}

// commit brings everything back.
func (r *restoring) commit(c *catalog.Tx) error {
	r.done.Changed, r.done.Deleted = 0, 0
	if now, err := c.Snapshot(r.snap.Name); err != nil {
		return err
	} else if now.ID != r.snap.ID {
		return fmt.Errorf("%w: there is another snapshot of that name now", ErrConflict)
	}
	before := map[catalog.ID]catalog.Storage{}
	for id := range r.files {
		st, err := c.Storage(id)
		if err == nil {
			before[id] = st
		} else if !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	if err := r.deleteOthers(c); err != nil {
		return err
	}
	moved := map[catalog.ID]bool{}
	for id, f := range r.files {
		old, known := before[id]
		var err error
		if moved[id], err = r.putStorage(c, f, old, known); err != nil {
			return err
		}
	}
	for _, rec := range r.records {
		if err := r.put(c, rec, before, moved); err != nil {
			return fmt.Errorf("%q: %w", rec.Name, err)
		}
	}
	return nil
}

// deleteOthers deletes what the snapshot does not have, if all of it is
// restored.
func (r *restoring) deleteOthers(c *catalog.Tx) error {
	if !r.all {
		return nil
	}
	var names []string
	for rec, err := range c.Records() {
		if err != nil {
			return err
		}
		if !r.wanted[rec.Name] {
			names = append(names, rec.Name)
		}
	}
	for _, name := range names {
		if err := c.Delete(name); err != nil {
			return err
		}
	}
	r.done.Deleted = len(names)
	return nil
}

// putStorage gives a storage, which was old if known, the file that the snapshot
// has, and reports whether its elements are others now.
func (r *restoring) putStorage(c *catalog.Tx, f *heldFile, old catalog.Storage, known bool) (moved bool, err error) {
	id := f.storage.ID
	if known && old.Gen == f.storage.Gen {
		// What was appended since may stay behind the rows of the snapshot.
		return false, c.RestoreStorage(old)
	}
	shared, err := r.isShared(c, id)
	if err != nil {
		return false, err
	}
	if shared {
		st, ok := r.copies[id]
		if !ok {
			return false, errNotCopied
		}
		return true, c.PutStorage(st.storage)
	}
	if known && old.State != catalog.Clean {
		if busy, err := r.store.storageBusy(id); err != nil || busy {
			return false, errors.Join(err, fmt.Errorf("%w: %s is writing storage %v in place", ErrBusy, old.Writer, id))
		}
	}
	st := f.restored(old, known)
	if err := r.store.matchHeader(&st); err != nil {
		return false, err
	}
	return true, errors.Join(c.ClearPatch(id), c.RestoreStorage(st))
}

// spread is how far the generations of a storage may jump that was deleted: the
// name of a file that somebody is about to remove must not be used again.
const spread = 1 << 24

// restored is the storage with the file of the snapshot. Numbers go on from
// those of old, if it is known, and of all snapshots.
func (f *heldFile) restored(old catalog.Storage, known bool) catalog.Storage {
	st := f.storage
	st.Changes, st.Spans = max(f.changes, old.Changes)+1, nil
	if st.Adopted {
		return st
	}
	st.NextGen = max(st.Next(), f.maxGen+1, old.NextGen, old.Gen+1)
	if !known && st.NextGen < math.MaxUint32-spread {
		st.NextGen += 1 + rand.Uint32N(spread)
	}
	return st
}

// put brings a record back, unless nothing of it has changed.
func (r *restoring) put(c *catalog.Tx, rec catalog.Record, before map[catalog.ID]catalog.Storage, moved map[catalog.ID]bool) error {
	now, err := c.Get(rec.Name)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	known := err == nil
	if known && !moved[rec.Storage] && meansSame(now, rec) {
		return nil
	}
	if copied, ok := r.copies[rec.Storage]; ok && moved[rec.Storage] {
		rec.Storage = copied.storage.ID
	}
	if known && now.Kind == catalog.KindTensor {
		st, err := c.Storage(now.Storage)
		if err != nil {
			return err
		}
		if was, ok := before[now.Storage]; ok {
			st = was
		}
		rec.Version = max(rec.Version, version(&now, &st)+1)
	}
	rec.Modified = time.Time{} // now
	r.done.Changed++
	return c.Put(rec)
}

// meansSame reports whether two records of one name differ in their history at
// most.
func meansSame(a, b catalog.Record) bool {
	a.Version, a.Modified = b.Version, b.Modified
	return reflect.DeepEqual(a, b)
}

// matchHeader takes over the sum of the header that a file of a snapshot has by
// now: it may describe rows that were appended later.
func (s *Store) matchHeader(st *catalog.Storage) error {
	if st.Adopted {
		return nil
	}
	f, err := s.fs.OpenFile(s.dataPath(*st), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s", ErrMissing, s.dataPath(*st))
	}
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, headerBytes)
	if _, err := f.ReadAt(b, 0); err != nil {
		return err
	}
	if _, sp, err := parseFileHeader(bytes.NewReader(b)); err == nil && sp.Storage == st.ID {
		st.HeaderSum = headerSum(b)
	}
	return nil
}
