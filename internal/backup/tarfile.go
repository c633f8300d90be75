package backup

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// tarPartial is what a tar file is called in addition while it is written.
const tarPartial = ".partial"

// toTarFile makes a backup in a tar file, which gets its name when it is whole.
func (b *backup) toTarFile(ctx context.Context, dest string) error {
	name, err := b.store.destination(dest)
	if err != nil {
		return err
	}

	fsys := b.store.Engine.FS
	if err := mustBeMissing(fsys, name); err != nil {
		return err
	}

	f, err := openPartial(fsys, name+tarPartial)
	if err != nil {
		return err
	}

	b.scratch = name + tarPartial + "."
	if err = errors.Join(f.Truncate(0), removeScratch(fsys, b.scratch)); err == nil {
		err = b.writeTarFile(ctx, f, name)
	}

	if err != nil {
		// While the file is open nobody else has taken it up.
		if rm := fsys.Remove(name + tarPartial); !errors.Is(rm, fs.ErrNotExist) {
			err = errors.Join(err, rm)
		}
	}
	return errors.Join(err, f.Close())
}

func mustBeMissing(fsys fsx.FS, name string) error {
	_, err := fsys.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("%w: choose another name, or remove it first", store.ErrExists)
	}
	return err
}

func (b *backup) writeTarFile(ctx context.Context, f fsx.File, name string) error {
	fsys := b.store.Engine.FS
	if err := mustBeMissing(fsys, name); err != nil {
		return err // made since, by who had the partial file before
	}
	w := tarOutput{fsx.NewStreamWriter(f, 0, nil)}
	if err := errors.Join(b.toTar(ctx, w), w.Flush()); err != nil {
		return err
	}
	if err := mustBeMissing(fsys, name); err != nil {
		return err
	}
	if b.store.Engine.Level == storefile.DurabilityPower {
		return fsx.Publish(fsys, f, name+tarPartial, name)
	}
	return fsys.Rename(name+tarPartial, name)
}

// openPartial opens the file that a tar is written to, and locks it for one backup. What a dead
// backup left in it is written anew.
func openPartial(fsys fsx.FS, name string) (fsx.File, error) {
	for try := 1; ; try++ {
		f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}

		mine, err := takePartial(fsys, f, name)
		if err == nil && mine {
			return f, nil
		}

		if err == nil && try == engine.Attempts {
			err = fmt.Errorf("%w: other backups are made in %q: try again when they have finished", store.ErrBusy, name)
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
}

// takePartial locks the file, and reports whether the file still has its name. The file of a backup
// that finished meanwhile has lost it.
func takePartial(fsys fsx.FS, f fsx.File, name string) (mine bool, err error) {
	if file := fsx.OSFile(f); file != nil {
		err := filelock.TryFile(file, 0, filelock.Exclusive)
		if errors.Is(err, filelock.ErrHeld) {
			return false, fmt.Errorf("%w: another backup is being written to %q: wait until it has finished", store.ErrBusy, name)
		}
		if err != nil && !errors.Is(err, filelock.ErrUnsupported) {
			return false, err
		}
	}

	// The lock is on the file that was opened. Another file may have the name by now.
	opened, err := f.Stat()
	if err != nil {
		return false, err
	}
	named, err := fsys.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}

	if a, b := fsx.IdentityOf(opened), fsx.IdentityOf(named); a.Inode != b.Inode || a.Dev != b.Dev {
		return false, nil
	}

	return true, mustBePartial(f, opened.Size())
}

// mustBePartial returns ErrExists unless a file is empty or begins as a backup does.
func mustBePartial(f fsx.File, size int64) error {
	if size == 0 {
		return nil
	}
	a := &archive{in: tar.NewReader(io.NewSectionReader(f, 0, size))}
	if name, _, err := a.next(); err != nil || name != planEntry {
		return fmt.Errorf("%w: the backup would be written to %q, which is there and is not what an interrupted backup has left: give it another name, or remove it first", store.ErrExists, f.Name())
	}
	return nil
}

// tarOutput is a file to which a tar is written. archive/tar passes on the slices that it is given,
// so zeros that need not be written are known by theirs.
type tarOutput struct{ *fsx.StreamWriter }

func (w tarOutput) Write(p []byte) (int, error) {
	if len(p) > 0 && &p[0] == &holeBytes[0] {
		return len(p), w.Skip(int64(len(p)))
	}
	return w.StreamWriter.Write(p)
}
