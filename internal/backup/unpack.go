package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// pathOf returns the path at which a file is made.
func (x *extraction) pathOf(f *manifest.File) string {
	if f.Path == storefile.CatalogFile {
		return filepath.Join(x.dir, storefile.TmpDir, storefile.CatalogFile+".backup")
	}
	return filepath.Join(x.dir, filepath.FromSlash(f.Path))
}

// take writes the part of a file that an archive has.
func (x *extraction) take(a *archive, f *manifest.File, head []byte, payload *entryReader) (err error) {
	e := x.files[f.Key]
	if e == nil || a.byKey(f.Key) == nil || f.From > e.Size {
		return nil
	}

	file, err := x.open(e)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()

	// Of several archives, the one with the most of the file has the newest header.
	if f.Size+1 > e.headed && f.Header == e.Header {
		e.headed = f.Size + 1
		if _, err := file.WriteAt(head, 0); err != nil {
			return err
		}
	}

	n := min(f.Size, e.Size) - f.From
	w := fsx.NewStreamWriter(file, 0, nil)
	if err := x.copy(payload, f.From+n, func(p backupPiece) error { return p.write(w, e.File) }); err != nil {
		return err
	}

	// From here on the part counts as there.
	e.pieces = append(e.pieces, check.Span{Lo: f.From, Hi: f.From + n})
	if f.From > 0 || f.Size < e.Size {
		return nil // finish syncs what came in pieces
	}
	return file.Sync()
}

// copy gives fn the pieces before end, and reports progress.
func (x *extraction) copy(payload *entryReader, end int64, fn func(backupPiece) error) error {
	return payload.upTo(end, func(p backupPiece) error {
		if err := fn(p); err != nil {
			return err
		}
		x.done += p.len()
		if x.opts.Progress != nil {
			x.opts.Progress(min(x.done, x.total), x.total)
		}
		return nil
	})
}

// open creates a file, or opens it again for its next piece.
func (x *extraction) open(e *extracted) (fsx.File, error) {
	name := x.pathOf(e.File)
	if e.pieces != nil {
		return x.fs.OpenFile(name, os.O_RDWR, 0)
	}

	if err := x.fs.Mkdir(filepath.Dir(name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	f, err := x.fs.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}

	// Reserve all of it now: a full disk fails here, not after hours.
	if e.Sparse {
		err = f.Truncate(e.Header + e.Size)
	} else {
		err = fsx.Reserve(f, 0, e.Header+e.Size)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// dropSkipped removes files of which a tar has nothing but zeros, since they could not be read.
func (x *extraction) dropSkipped() error {
	for key, e := range x.files {
		if x.newest.byKey(key) != nil {
			continue
		}
		delete(x.files, key)
		if err := x.fs.Remove(x.pathOf(e.File)); err != nil {
			return err
		}
	}
	return nil
}

// finish syncs the files that came in pieces, and then the folders. The names are durable only
// after that, and only then may the catalog name them.
func (x *extraction) finish() error {
	dirs := map[string]bool{filepath.Join(x.dir, storefile.StorageDir): true, filepath.Join(x.dir, storefile.SnapshotDir): true}
	for _, e := range x.files {
		if len(e.pieces) == 0 {
			return fmt.Errorf("%w: %s is in none of the archives", store.ErrCorrupt, e.Path)
		}
		dirs[filepath.Dir(x.pathOf(e.File))] = true

		// What came in one piece was synced when it was written.
		if len(e.pieces) == 1 && e.pieces[0] == (check.Span{Hi: e.Size}) {
			continue
		}

		f, err := x.fs.OpenFile(x.pathOf(e.File), os.O_RDWR, 0)
		if err != nil {
			return err
		}
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
	}

	for dir := range dirs {
		if err := x.fs.SyncDir(dir); err != nil {
			return err
		}
	}
	return nil
}
