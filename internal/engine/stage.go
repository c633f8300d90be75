package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storefile"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Staged is a file on its way into the store: a storage's, or that of its checksums. It lives in
// tmp/ under the storage's lock byte until publish gives it its final name; until the catalog
// names it, nobody sees it. Its name in tmp/ has a random part: nobody else makes, renames or
// removes a file of that name. A job's has none, for the job is to find it again.
//
// The descriptor is opened before the first write and synced at the end, so that no write error can
// slip past between two descriptors.
type Staged struct {
	store   *Store
	Storage catalog.Storage
	Header  storefile.Header
	Tmp     string
	final   string // relative to the store
	File    fsx.File
	lock    *filelock.Held
	// Sums sees the payload as it is written, where it is to be sealed; else nil.
	Sums *blocksum.Collector
	// Published is true once the file has its final name.
	Published bool
	// Kept is true for the file of a job, which closes it itself.
	Kept bool
}

// StageNew begins a storage of its own identity.
func (s *Store) StageNew() (*Staged, error) {
	id := catalog.NewID()
	lock, err := filelock.TryLock(s.LockPath(), StorageKey(id), filelock.Exclusive)
	if err != nil {
		return nil, fmt.Errorf("lock storage %v: %w", id, err)
	}
	st, err := s.Stage(catalog.Storage{ID: id, HeaderBytes: storefile.HeaderBytes, Created: time.Now().UTC()})
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	st.lock = lock
	return st, nil
}

// Stage begins a file for the given storage record. The caller has the storage's lock until the
// file is published or discarded.
func (s *Store) Stage(rec catalog.Storage) (*Staged, error) { return s.stageAs(rec, rec.File()) }

// stageAs begins a file of a storage, of the given final name.
func (s *Store) stageAs(rec catalog.Storage, final string) (*Staged, error) {
	return s.StageIn(path.Join(storefile.TmpDir, storefile.StagedName(path.Base(final))), rec, final)
}

// StageIn begins a file of a storage, of the given names now and in the end.
func (s *Store) StageIn(tmp string, rec catalog.Storage, final string) (*Staged, error) {
	tmp = s.Path(tmp)
	f, err := s.FS.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return s.StageFile(f, tmp, rec, final), nil
}

// StageFile takes over an open file of a storage, which is at tmp.
func (s *Store) StageFile(f fsx.File, tmp string, rec catalog.Storage, final string) *Staged {
	return &Staged{store: s, Storage: rec, Tmp: tmp, final: final, File: f}
}

// reservePiece is the space that is taken between two looks at the context.
const reservePiece = 1 << 30

// Reserve takes the disk space of the header and payload bytes.
func (st *Staged) Reserve(ctx context.Context, payload int64, sparse bool) error {
	st.Storage.PayloadBytes = payload
	st.Storage.Sparse = sparse
	if sparse {
		return st.File.Truncate(storefile.HeaderBytes + payload)
	}
	st.store.AwaitFreed()
	for at, end := int64(0), storefile.HeaderBytes+payload; at < end; at += reservePiece {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fsx.Reserve(st.File, at, min(reservePiece, end-at)); err != nil {
			return err
		}
	}
	return nil
}

// CopyFrom streams exactly n bytes of data, nil for zeros, to the start of the payload. progress,
// unless it is nil, is called with the bytes written so far.
func (st *Staged) CopyFrom(ctx context.Context, data io.Reader, progress func(int64), n int64) error {
	if data == nil {
		return nil
	}
	w := fsx.NewStreamWriter(st.File, storefile.HeaderBytes, &fsx.StreamOptions{Progress: progress, Tee: Tee(st.Sums, storefile.HeaderBytes)})
	return w.ReadFrom(ctx, data, n)
}

// Mapped returns the payload, mapped for writing. Nobody else sees it.
func (st *Staged) Mapped() (*mmapstore.Storage, error) {
	return mmapstore.Map(st.Tmp, storefile.HeaderBytes, st.Storage.PayloadBytes, mmapstore.Shared, &mmapstore.MapOptions{OpenFile: st.store.maps.OpenFile, SoleWriter: true})
}

// Fill runs fn on a writable tensor over the payload, which nobody else sees.
func (st *Staged) Fill(ctx context.Context, dt dtype.Type, l view.Layout, fn func(*view.Tensor) error) error {
	m, err := st.Mapped()
	if err != nil {
		return err
	}
	defer m.Release()
	t, err := view.NewTensor(m, dt, l)
	if err != nil {
		return err
	}
	defer t.Close()
	if err := fn(t); err != nil {
		return err
	}
	return st.store.SyncMapped(ctx, m)
}

// sync writes the header, unless the file was copied with one, and makes the file's bytes durable.
func (st *Staged) sync() error {
	if st.Header.DType.Valid() {
		if err := st.writeHeader(); err != nil {
			return err
		}
	}
	if err := st.store.SyncFile(st.File); err != nil {
		return st.store.Poison(fmt.Errorf("sync %s: %w", st.Tmp, err))
	}
	st.Storage.Boot = st.store.Stamp()
	return nil
}

func (st *Staged) writeHeader() error {
	st.Header.Spare.Storage = st.Storage.ID
	st.Header.Spare.Created = st.Storage.Created
	st.Header.Spare.Changes = &st.Storage.Changes
	b, err := st.Header.Encode()
	if err != nil {
		return err
	}
	st.Storage.HeaderSum = storefile.HeaderSum(b)
	_, err = st.File.WriteAt(b, 0)
	return err
}

// folder returns the folder of the final name.
func (st *Staged) folder() string { return st.store.Path(path.Dir(st.final)) }

// rename gives the file its final name. The caller makes the folder, and syncs it.
func (st *Staged) rename() error {
	if err := st.mustBeFirst(); err != nil {
		return err
	}
	if err := st.store.FS.Rename(st.Tmp, st.store.Path(st.final)); err != nil {
		return err
	}
	st.Published = true
	return nil
}

// mustBeFirst returns ErrConflict if there is a file of the final name, which the catalog or a
// snapshot may need. The storage's lock keeps others from making one meanwhile. What a job finds
// there is its own.
func (st *Staged) mustBeFirst() error {
	if st.Kept {
		return nil
	}
	_, err := st.store.FS.Stat(st.store.Path(st.final))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%w: %s is there already: try again", ErrConflict, st.final)
	}
	return err
}

// Discard gives up the file. A file that already has its final name stays, for takeBack or gc: only
// the catalog says whether it is needed.
func (st *Staged) Discard() error {
	if st.Kept {
		return nil
	}
	if st.Published {
		return st.release()
	}
	return errors.Join(st.store.FS.Remove(st.Tmp), st.release())
}

// release closes the descriptor and gives the lock back.
func (st *Staged) release() error {
	if st.Kept {
		return nil
	}
	err := st.FreeLater(st.File.Close)
	if st.lock != nil {
		err = errors.Join(err, st.lock.Unlock())
	}
	return err
}

// FreeLater runs release, which closes the file or unmaps it. It does so in the background if the
// file was never published: freeing many gigabytes takes seconds that nobody needs to wait for.
func (st *Staged) FreeLater(release func() error) error {
	if st.Published {
		return release()
	}
	return st.store.FreeLater(st.Storage.PayloadBytes, release)
}

// Publish makes the staged files durable under their final names, commits change to the catalog,
// and closes them. This is the durable order of every new file in the store: data, name,
// folder, catalog. When the commit fails the files are removed again, unless the commit is in
// doubt, or the catalog can't be asked.
func (s *Store) Publish(ctx context.Context, files []*Staged, change func(*catalog.Tx) error) error {
	err := s.publishFiles(ctx, files, change)
	inDoubt := errors.Is(err, catalog.ErrInDoubt)
	if inDoubt {
		s.Poison(err)
	}
	for _, st := range files {
		if err != nil && !inDoubt {
			err = errors.Join(err, st.Discard())
			continue
		}
		// The bytes are synced: a failing close takes nothing away.
		_ = st.release()
	}
	return err
}

func (s *Store) publishFiles(ctx context.Context, files []*Staged, change func(*catalog.Tx) error) error {
	if s.within != nil {
		return ErrWithin
	}

	// Sync the data first: from here on each file is complete under its temporary name.
	if err := syncFiles(ctx, files); err != nil {
		return err
	}

	if len(files) == 0 {
		return s.Commit(ctx, change)
	}

	// Between the rename and the commit no record names the files, and gc would remove them: keep
	// it out.
	gc, err := s.LockGC(ctx, filelock.Shared)
	if err != nil {
		return err
	}
	defer gc.Unlock()

	// The commit comes last: a crash before it leaves garbage, never a record without its file.
	err = s.renameAll(files)
	if err == nil {
		err = s.Commit(ctx, change)
	}

	// In doubt, the catalog may name the files already: leave them where they are.
	if err != nil && !errors.Is(err, catalog.ErrInDoubt) {
		s.takeBack(files)
	}
	return err
}

// renameAll gives files their final names, durably. gc is kept off.
func (s *Store) renameAll(files []*Staged) error {
	folders := map[string]bool{}
	for _, st := range files {
		folders[st.folder()] = true
	}
	if err := s.makeFolders(slices.Sorted(maps.Keys(folders))...); err != nil {
		return err
	}
	for _, st := range files {
		if err := st.rename(); err != nil {
			return err
		}
	}
	return s.syncFolders(folders)
}

// takeBackPatience is how long takeBack waits for the catalog.
const takeBackPatience = time.Second

// takeBack removes the files that have their final names and that the catalog does not name. No
// snapshot can name them either: their names are new, and were never committed. Where the catalog
// can't be asked they are left to gc, which is kept off until then.
func (s *Store) takeBack(files []*Staged) {
	ctx, cancel := context.WithTimeout(context.Background(), takeBackPatience)
	defer cancel()
	for _, st := range files {
		if st.Kept || !st.Published {
			continue
		}
		_ = s.Catalog.View(ctx, func(c *catalog.Tx) error {
			named, err := isNamed(c, st.final)
			if err != nil || named {
				return err
			}
			return s.FS.Remove(s.Path(st.final))
		})
	}
}
