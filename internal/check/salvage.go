package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// SalvageOptions of Salvage.
type SalvageOptions struct {
	LockTimeout time.Duration
}

// SalvageReport says what Salvage found.
type SalvageReport struct {
	Tensors   []string
	Renamed   map[string]string
	Skipped   map[string]string
	Doubts    map[string]string
	Snapshots []string
}

// Salvage makes a new catalog for the store in dir from the storage files alone, for when
// catalog.db is lost or beyond repair.
func Salvage(ctx context.Context, dir string, o *SalvageOptions) (*SalvageReport, error) {
	if o == nil {
		o = &SalvageOptions{}
	}
	if o.LockTimeout < 0 {
		return nil, fmt.Errorf("salvage %q: lock timeout %v: want 0, which is %v, or more", dir, o.LockTimeout, catalog.DefaultLockTimeout)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	sv := &salvage{fs: fsx.Within(fsx.OS, abs), dir: abs, patience: engine.Options{LockTimeout: o.LockTimeout}.Patience(), report: &SalvageReport{Renamed: map[string]string{}, Skipped: map[string]string{}, Doubts: map[string]string{}}}
	if err := sv.run(ctx); err != nil {
		return nil, fmt.Errorf("salvage %q: %w", dir, err)
	}
	return sv.report, nil
}

type salvage struct {
	fs       fsx.FS
	dir      string
	patience time.Duration
	files    map[catalog.ID][]*salvaged
	found    []*salvaged // those in use, the ones that were changed last first
	snaps    []catalog.Snapshot
	// changes and gen are numbers that nothing is known to have exceeded.
	changes uint64
	gen     uint32
	report  *SalvageReport
}

func (sv *salvage) run(ctx context.Context) error {
	id, err := sv.storeID(ctx)
	if err != nil {
		return err
	}

	// From here on nobody else uses the folder.
	lock, err := engine.LockGC(ctx, sv.dir, filelock.Exclusive, sv.patience)
	if err != nil {
		return err
	}
	defer lock.Unlock()

	if err := sv.mustBeKnown(ctx); err != nil {
		return err
	}

	engine.MakeFolders(sv.fs, sv.dir)
	if err := errors.Join(sv.scan(ctx), sv.scanSnapshots(ctx, id)); err != nil {
		return err
	}

	sv.choose()

	// The mark comes last, as when a store is made: a folder with a mark has a whole catalog.
	if err := catalog.Rebuild(ctx, sv.dir, id, &catalog.Options{LockTimeout: sv.patience}, sv.fill); err != nil {
		return err
	}
	return storefile.WriteMark(sv.fs, sv.dir, storefile.Mark{Format: storefile.FormatVersion, ID: id})
}

// storeID returns the id in the STORE file. If that is lost too, it returns the id that a snapshot
// has, or a new one. A folder without storages is no store to salvage.
func (sv *salvage) storeID(ctx context.Context) (catalog.ID, error) {
	if _, err := sv.fs.Stat(filepath.Join(sv.dir, storefile.StorageDir)); err != nil {
		return catalog.ID{}, fmt.Errorf("%w: it has no folder %q", store.ErrNotStore, storefile.StorageDir)
	}
	m, err := storefile.ReadMark(sv.fs, sv.dir)
	if errors.Is(err, store.ErrFuture) {
		return m.ID, err
	}
	if err != nil {
		return sv.storeOfSnapshots(ctx), nil
	}
	return m.ID, nil
}

// mustBeKnown returns ErrFuture if a newer tstore has written in the catalog: it is not damaged
// then, and a new one would lack what this tstore does not know. A catalog that can't be read says
// nothing.
func (sv *salvage) mustBeKnown(ctx context.Context) error {
	c, err := catalog.Open(ctx, sv.dir, &catalog.Options{ReadOnly: true, LockTimeout: sv.patience})
	if err == nil {
		_, err = c.Check(ctx)
		err = errors.Join(err, c.Close())
	}
	if errors.Is(err, store.ErrFuture) {
		return err
	}
	return ctx.Err()
}

// scan reads the headers of all storage files.
func (sv *salvage) scan(ctx context.Context) error {
	sv.files = map[catalog.ID][]*salvaged{}
	return fs.WalkDir(os.DirFS(sv.dir), storefile.StorageDir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}

		f, ok := storefile.ParseName(e.Name())
		switch {
		case !ok:
			sv.report.Skipped[file] = "its name is not a storage file's"
		case file != f.Path():
			sv.report.Skipped[file] = "it belongs into the folder " + path.Dir(f.Path())
		case f.Sums != 0:
			// What it was the seal of is not known; gc removes it.
		case !e.Type().IsRegular():
			sv.report.Skipped[file] = "it is not a regular file"
		default:
			st := catalog.Storage{ID: f.ID, Gen: f.Gen, HeaderBytes: storefile.HeaderBytes}
			sv.files[f.ID] = append(sv.files[f.ID], sv.read(file, st))
		}
		return nil
	})
}

// read makes the records of one storage file from its header.
func (sv *salvage) read(file string, st catalog.Storage) *salvaged {
	s := &salvaged{storage: st}
	f, err := sv.fs.OpenFile(filepath.Join(sv.dir, filepath.FromSlash(file)), os.O_RDONLY, 0)
	if err != nil {
		s.fault = err
		return s
	}
	defer f.Close()
	s.fault = s.load(f)
	return s
}

func (s *salvaged) load(f fsx.File) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	st := &s.storage
	s.payload = fi.Size() - st.HeaderBytes

	b := make([]byte, storefile.HeaderBytes)
	if _, err := f.ReadAt(b, 0); err != nil {
		return err
	}
	h, sp, err := storefile.ParseHeader(bytes.NewReader(b))
	if err != nil {
		return err
	}

	if st.PayloadBytes, err = store.PayloadOf(h); err != nil {
		return err
	}

	// What the spare tells is used even for a short file.
	s.modified = sp.Created
	if sp.Modified.After(sp.Created) {
		s.modified = sp.Modified
	}
	if sp.Changes != nil {
		s.counted, s.changes = true, *sp.Changes
	}

	if s.payload < st.PayloadBytes {
		return fmt.Errorf("expected %d bytes, found %d", st.HeaderBytes+st.PayloadBytes, fi.Size())
	}
	st.Created, st.HeaderSum = sp.Created, storefile.HeaderSum(b)

	if sp.Pack != nil {
		s.records, err = store.ReadPack(f, *st, *sp.Pack)
		return err
	}

	spec := store.Spec{DType: h.DType, Shape: h.Shape, Dims: sp.Dims}
	if h.Fortran {
		spec.Order = store.ColumnMajor
	}
	rec, err := store.SalvagedRecord(sp.Name, spec, *st, 0)
	s.records = []catalog.Record{rec}
	return err
}

// fill puts what was found into the new catalog.
func (sv *salvage) fill(c *catalog.Tx) error {
	if err := c.Raise(sv.changes, sv.gen); err != nil {
		return err
	}
	for _, s := range sv.found {
		if err := c.PutStorage(s.storage); err != nil {
			return err
		}
		// The last tensor of a name replaced the others in its transaction.
		for _, rec := range slices.Backward(s.records) {
			if err := sv.put(c, rec, s.storage.ID); err != nil {
				return err
			}
		}
	}
	return sv.fillSnapshots(c)
}

// put gives a record its name, or a similar one if the name is taken or unusable.
func (sv *salvage) put(c *catalog.Tx, rec catalog.Record, id catalog.ID) error {
	wanted := rec.Name
	short := id.String()[:8]
	tries := []string{wanted, wanted + ".salvaged-" + short, path.Join("salvaged", id.String())}

	for i := 0; ; i++ {
		if i < len(tries) {
			rec.Name = tries[i]
		} else {
			// Outside of the group "salvaged", since a tensor may have that name.
			rec.Name = fmt.Sprintf("salvaged-%v.%d", id, i)
		}

		if catalog.CheckName(rec.Name) != nil {
			continue
		}

		err := store.MustBeFree(c, rec.Name)
		if err == nil {
			err = c.PutBack(rec)
		}
		if errors.Is(err, store.ErrExists) || errors.Is(err, catalog.ErrConflict) {
			continue
		}

		if err != nil {
			return err
		}

		sv.report.Tensors = append(sv.report.Tensors, rec.Name)
		if rec.Name != wanted {
			sv.report.Renamed[rec.Name] = wanted
		}
		return nil
	}
}
