package tstore

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

// staged is a file on its way into the store: a storage's, or that of its
// checksums. It lives in tmp/ under the storage's lock byte until publish
// renames it to its final place; until the catalog names it, nobody sees it.
// Its name in tmp/ has a random part: nobody else makes, renames or removes a
// file of that name. A job's has none, for the job is to find it again.
//
// The descriptor is opened before the first write and synced at the end, so
// that no write error can slip past between two descriptors.
type staged struct {
	store   *engineStore
	storage catalog.Storage
	header  storefile.Header
	tmp     string
	final   string // relative to the store
	file    fsx.File
	lock    *filelock.Held
	// sums sees the payload as it is written, where it is to be sealed; else nil.
	sums *blocksum.Collector
	// published is true once the file has its final name.
	published bool
	// kept is true for the file of a job, which lets go of it itself.
	kept bool
}

// stageNew begins a storage of its own identity.
func (s *engineStore) stageNew() (*staged, error) {
	id := catalog.NewID()
	lock, err := filelock.TryLock(s.lockPath(), storageKey(id), filelock.Exclusive)
	if err != nil {
		return nil, fmt.Errorf("lock storage %v: %w", id, err)
	}
	st, err := s.stage(catalog.Storage{ID: id, HeaderBytes: storefile.HeaderBytes, Created: time.Now().UTC()})
	if err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	st.lock = lock
	return st, nil
}

// stage begins a file for the given storage record. The caller has the storage's
// lock until the file is published or discarded.
func (s *engineStore) stage(rec catalog.Storage) (*staged, error) { return s.stageAs(rec, rec.File()) }

// stageAs begins a file of a storage, of the given final name.
func (s *engineStore) stageAs(rec catalog.Storage, final string) (*staged, error) {
	return s.stageIn(path.Join(storefile.TmpDir, storefile.StagedName(path.Base(final))), rec, final)
}

// stageIn begins a file of a storage, of the given names now and in the end.
func (s *engineStore) stageIn(tmp string, rec catalog.Storage, final string) (*staged, error) {
	tmp = s.path(tmp)
	f, err := s.fs.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return s.stageFile(f, tmp, rec, final), nil
}

// stageFile takes over an open file of a storage, which is at tmp.
func (s *engineStore) stageFile(f fsx.File, tmp string, rec catalog.Storage, final string) *staged {
	return &staged{store: s, storage: rec, tmp: tmp, final: final, file: f}
}

// reservePiece is the space that is taken between two looks at the context.
const reservePiece = 1 << 30

// reserve takes the disk space of the header and payload bytes.
func (st *staged) reserve(ctx context.Context, payload int64, sparse bool) error {
	st.storage.PayloadBytes = payload
	st.storage.Sparse = sparse
	if sparse {
		return st.file.Truncate(storefile.HeaderBytes + payload)
	}
	st.store.awaitFreed()
	for at, end := int64(0), storefile.HeaderBytes+payload; at < end; at += reservePiece {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := fsx.Reserve(st.file, at, min(reservePiece, end-at)); err != nil {
			return err
		}
	}
	return nil
}

// copyFrom streams exactly n bytes of data, nil for zeros, to the start of the payload. progress, unless it is nil,
// is called with the bytes written so far.
func (st *staged) copyFrom(ctx context.Context, data io.Reader, progress func(int64), n int64) error {
	if data == nil {
		return nil
	}
	w := fsx.NewStreamWriter(st.file, storefile.HeaderBytes, &fsx.StreamOptions{Progress: progress, Tee: tee(st.sums, storefile.HeaderBytes)})
	return w.ReadFrom(ctx, data, n)
}

// mapped is the payload, mapped for writing. Nobody else sees it.
func (st *staged) mapped() (*mmapstore.Storage, error) {
	return mmapstore.Map(st.tmp, storefile.HeaderBytes, st.storage.PayloadBytes, mmapstore.Shared, &mmapstore.MapOptions{OpenFile: st.store.maps.OpenFile, SoleWriter: true})
}

// fill runs fn on a writable tensor over the payload, which nobody else sees.
func (st *staged) fill(ctx context.Context, dt dtype.Type, l view.Layout, fn func(*view.Tensor) error) error {
	m, err := st.mapped()
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
	return st.store.syncMapped(ctx, m)
}

// sync writes the header, unless the file was copied with one, and makes the file's bytes durable.
func (st *staged) sync() error {
	if st.header.DType.Valid() {
		if err := st.writeHeader(); err != nil {
			return err
		}
	}
	if err := st.store.syncFile(st.file); err != nil {
		return st.store.poison(fmt.Errorf("sync %s: %w", st.tmp, err))
	}
	st.storage.Boot = st.store.stamp()
	return nil
}

func (st *staged) writeHeader() error {
	st.header.Spare.Storage = st.storage.ID
	st.header.Spare.Created = st.storage.Created
	st.header.Spare.Changes = &st.storage.Changes
	b, err := st.header.Encode()
	if err != nil {
		return err
	}
	st.storage.HeaderSum = storefile.HeaderSum(b)
	_, err = st.file.WriteAt(b, 0)
	return err
}

// folder is the folder of the final name.
func (st *staged) folder() string { return st.store.path(path.Dir(st.final)) }

// rename gives the file its final name. The caller makes the folder, and syncs it.
func (st *staged) rename() error {
	if err := st.mustBeFirst(); err != nil {
		return err
	}
	if err := st.store.fs.Rename(st.tmp, st.store.path(st.final)); err != nil {
		return err
	}
	st.published = true
	return nil
}

// mustBeFirst returns ErrConflict if there is a file of the final name, which the
// catalog or a snapshot may need. The storage's lock keeps others from making one
// meanwhile. What a job finds there is its own.
func (st *staged) mustBeFirst() error {
	if st.kept {
		return nil
	}
	_, err := st.store.fs.Stat(st.store.path(st.final))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%w: %s is there already: try again", errConflict, st.final)
	}
	return err
}

// discard gives up the file. One that has its final name stays, for takeBack or
// gc: only the catalog says whether it is needed.
func (st *staged) discard() error {
	if st.kept {
		return nil
	}
	if st.published {
		return st.release()
	}
	return errors.Join(st.store.fs.Remove(st.tmp), st.release())
}

// release lets go of the descriptor and the lock.
func (st *staged) release() error {
	if st.kept {
		return nil
	}
	err := st.letGo(st.file.Close)
	if st.lock != nil {
		err = errors.Join(err, st.lock.Unlock())
	}
	return err
}

// letGo calls release, of the descriptor or of a mapping of the file.
func (st *staged) letGo(release func() error) error {
	if st.published {
		return release()
	}
	return st.store.letGo(st.storage.PayloadBytes, release)
}

// publish makes the staged files durable under their final names, commits
// change to the catalog, and lets go of them. This is the durable order of
// every new file in the store: data, name, folder, catalog. When the commit
// fails the files are removed again, unless the commit is in doubt, or the catalog
// can't be asked.
func (s *engineStore) publish(ctx context.Context, files []*staged, change func(*catalog.Tx) error) error {
	err := s.publishFiles(ctx, files, change)
	inDoubt := errors.Is(err, catalog.ErrInDoubt)
	if inDoubt {
		s.poison(err)
	}
	for _, st := range files {
		if err != nil && !inDoubt {
			err = errors.Join(err, st.discard())
			continue
		}
		// The bytes are synced: a failing close takes nothing away.
		_ = st.release()
	}
	return err
}

func (s *engineStore) publishFiles(ctx context.Context, files []*staged, change func(*catalog.Tx) error) error {
	if s.within != nil {
		return errWithin
	}
	if err := syncFiles(ctx, files); err != nil {
		return err
	}
	if len(files) == 0 {
		return s.commit(ctx, change)
	}
	gc, err := s.lockGC(ctx, filelock.Shared)
	if err != nil {
		return err
	}
	defer gc.Unlock()
	err = s.renameAll(files)
	if err == nil {
		err = s.commit(ctx, change)
	}
	if err != nil && !errors.Is(err, catalog.ErrInDoubt) {
		s.takeBack(files)
	}
	return err
}

// renameAll gives files their final names, durably. gc is kept off.
func (s *engineStore) renameAll(files []*staged) error {
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

// takeBack removes the files that have their final names and that the catalog does not
// name. No snapshot can name them either: their names are new, and were never committed.
// Where the catalog can't be asked they are left to gc, which is kept off until then.
func (s *engineStore) takeBack(files []*staged) {
	ctx, cancel := context.WithTimeout(context.Background(), takeBackPatience)
	defer cancel()
	for _, st := range files {
		if st.kept || !st.published {
			continue
		}
		_ = s.cat.View(ctx, func(c *catalog.Tx) error {
			named, err := isNamed(c, st.final)
			if err != nil || named {
				return err
			}
			return s.fs.Remove(s.path(st.final))
		})
	}
}
