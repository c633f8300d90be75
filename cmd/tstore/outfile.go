package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/internal/fsx"
)

// writeFile makes a file whose content write produces: without a name, or under
// another one, in the same folder, then synced and renamed, so that the name never stands for
// half of it. Space for atLeast bytes is reserved first. A file that is there
// already is replaced only by force. Devices and pipes are written to as they
// are.
func writeFile(path string, force bool, atLeast int64, write func(io.Writer) error) error {
	fi, err := os.Stat(path)
	switch {
	case err == nil && fi.IsDir():
		return fmt.Errorf("%s is a folder: name a file in it", path)
	case err == nil && !fi.Mode().IsRegular():
		return writeDevice(path, write)
	case err == nil && !force:
		return fmt.Errorf("%s is there already: use --force to replace it", path)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	tmp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+rand.Text()[:8]+".tmp")
	f, nameIt, err := createUnnamed(tmp)
	if err != nil {
		return err
	}
	if err := fillFile(f, tmp, path, atLeast, write, nameIt); err != nil {
		return errors.Join(err, f.Close(), removeIfThere(tmp))
	}
	return f.Close()
}

// createNamed is createUnnamed where a file has a name from the start.
func createNamed(tmp string) (f fsx.File, nameIt func() error, err error) {
	f, err = fsx.OS.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	return f, func() error { return nil }, err
}

func fillFile(f fsx.File, tmp, path string, atLeast int64, write func(io.Writer) error, nameIt func() error) error {
	if err := fsx.Reserve(f, 0, atLeast); err != nil {
		return err
	}
	w := fsx.NewStreamWriter(f, 0, nil)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := nameIt(); err != nil {
		return err
	}
	return fsx.Publish(fsx.OS, f, tmp, path)
}

// removeIfThere removes a temporary file, which is gone when the failure came
// after the rename.
func removeIfThere(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

func writeDevice(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
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
