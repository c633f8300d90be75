package storetest

import (
	"errors"
	"os"
	"testing"
)

// Resized makes a file longer, or shorter if by is negative.
func Resized(file string, by int64) error {
	fi, err := os.Stat(file)
	if err != nil {
		return err
	}
	return os.Truncate(file, fi.Size()+by)
}

// Overwrite changes the first bytes of a file.
func Overwrite(file string, b []byte) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	return errors.Join(err, f.Close())
}

// WriteFile makes a file of a text.
func WriteFile(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Flip changes the lowest bit of a byte of a file.
func Flip(t testing.TB, path string, off int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 1)
	_, err = f.ReadAt(b, off)
	b[0] ^= 1
	_, werr := f.WriteAt(b, off)
	if err := errors.Join(err, werr); err != nil {
		t.Fatal(err)
	}
}

// FlipByte changes a byte of a file.
func FlipByte(path string, at int64) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	b := make([]byte, 1)
	_, err = f.ReadAt(b, at)
	b[0] ^= 0x10
	_, failed := f.WriteAt(b, at)
	return errors.Join(err, failed, f.Close())
}
