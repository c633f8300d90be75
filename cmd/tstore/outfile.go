package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/internal/fsx"
)

// writeFile makes a file with the content that write produces. It writes a file in the same folder
// without a name, or with another one, syncs it and then gives it its name, so that the name never
// stands for half a file. It reserves space for atLeast bytes first. It replaces a file that is
// there, or that appears meanwhile, only if overwrite is set, and keeps the permissions of that file.
// It follows a link to its end, and writes to devices and pipes as they are.
func writeFile(ctx context.Context, path string, overwrite bool, atLeast int64, write func(io.Writer) error) error {
	fi, err := os.Stat(path)
	switch {
	case err == nil && fi.IsDir():
		return fmt.Errorf("%s is a folder: name a file in it", path)
	case err == nil && !fi.Mode().IsRegular():
		return writeDevice(ctx, path, write)
	case err == nil && !overwrite:
		return errIsThere(path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}

	final, err := linkEnd(path)
	if err != nil {
		return err
	}

	f, err := createUnnamed(filepath.Join(filepath.Dir(final), ".tstore-"+rand.Text()[:16]+".tmp"))
	if err != nil {
		return err
	}

	// What was there when the command began is replaced. Without overwrite the last step fails if a
	// file has come meanwhile.
	err = f.fill(atLeast, write)
	switch {
	case err != nil:
	case fi != nil:
		err = f.replace(final, fi.Mode().Perm())
	case overwrite:
		err = f.rename(final)
	default:
		if err = f.create(final); errors.Is(err, fs.ErrExist) {
			err = errIsThere(path)
		}
	}

	return errors.Join(err, f.close())
}

func errIsThere(path string) error {
	return fmt.Errorf("%s is there already: --overwrite replaces it", path)
}

// maxLinks is the greatest number of links that are followed one after the other.
const maxLinks = 40

// linkEnd follows a link, and the links that it leads to, and returns the path at the end, where
// nothing need be.
func linkEnd(path string) (string, error) {
	for at, n := path, 0; n < maxLinks; n++ {
		to, err := os.Readlink(at)
		if err != nil {
			return at, nil // no link
		}
		if !filepath.IsAbs(to) {
			folder, _ := filepath.Split(at)
			to = folder + to
		}
		at = to
	}
	return "", fmt.Errorf("%s leads through too many links", path)
}

// outFile is a file that gets its name when it is whole.
type outFile struct {
	fsx.File
	// tmp is the name that it has, or can be given, until then.
	tmp string
	// link gives it a name. An error is fs.ErrExist when something has that name.
	link func(name string) error
	// named is true while it has the name tmp.
	named bool
}

// createNamed is createUnnamed where a file has a name from the start.
func createNamed(tmp string) (*outFile, error) {
	f, err := fsx.OS.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	return &outFile{File: f, tmp: tmp, named: true, link: func(name string) error { return os.Link(tmp, name) }}, nil
}

func (f *outFile) fill(atLeast int64, write func(io.Writer) error) error {
	if err := fsx.Reserve(f.File, 0, atLeast); err != nil {
		return err
	}
	w := fsx.NewStreamWriter(f.File, 0, nil)
	if err := write(w); err != nil {
		return err
	}
	return w.Flush()
}

// create gives the file a name that nothing has, durably.
func (f *outFile) create(name string) error {
	if err := f.Sync(); err != nil {
		return fmt.Errorf("its bytes did not reach the disk: %w", err)
	}
	err := f.link(name)
	if f.named && err != nil && !errors.Is(err, fs.ErrExist) {
		return f.rename(name) // the file system has no links
	}
	if err != nil {
		return err
	}
	if err := fsx.OS.SyncDir(filepath.Dir(name)); err != nil {
		return fmt.Errorf("the name of %s may not outlive a power cut: %w", name, err)
	}
	return nil
}

// replace gives the file a name in place of another file, whose permissions it takes over.
func (f *outFile) replace(name string, perm fs.FileMode) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if fi.Mode().Perm() != perm {
		if err := f.Chmod(perm); err != nil {
			return err
		}
	}
	return f.rename(name)
}

// rename gives the file a name, whatever has it, durably.
func (f *outFile) rename(name string) error {
	if !f.named {
		if err := f.link(f.tmp); err != nil {
			return err
		}
		f.named = true
	}
	return fsx.Publish(fsx.OS, f.File, f.tmp, name)
}

// close closes the file, and removes the temporary name if it is still there.
func (f *outFile) close() error {
	err := f.Close()
	if !f.named {
		return err
	}
	if failed := os.Remove(f.tmp); !errors.Is(failed, fs.ErrNotExist) {
		err = errors.Join(err, failed)
	}
	return err
}

func writeDevice(ctx context.Context, path string, write func(io.Writer) error) error {
	f, err := openToWrite(ctx, path)
	if err != nil {
		return err
	}
	w, done := interruptibleOut(ctx, f)
	defer done()
	return errors.Join(write(w), f.Close())
}

// countedWriter reports the bytes that pass through it.
type countedWriter struct {
	w     io.Writer
	done  int64
	count func(done int64)
}

func (c *countedWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.done += int64(n)
	c.count(c.done)
	return n, err
}
