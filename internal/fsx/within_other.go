//go:build !unix

package fsx

import (
	"io/fs"
	"os"
	"path/filepath"
)

// check returns ErrLink if a folder on the way to p is a link.
func (p location) check() error { return p.checkTo(filepath.Dir(p.rel)) }

// checkTo looks at p's folders up to rel, which is one of them or p itself.
func (p location) checkTo(rel string) error {
	if p.folder == "" || rel == "." {
		return nil
	}
	if err := p.checkTo(filepath.Dir(rel)); err != nil {
		return err
	}
	path := filepath.Join(p.folder, rel)
	if fi, err := os.Lstat(path); err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		return &fs.PathError{Op: "open", Path: path, Err: ErrLink}
	}
	return nil
}

func (p location) path() string { return filepath.Join(p.folder, p.rel) }

func (p location) open(name string, flag int, perm fs.FileMode) (*os.File, error) {
	if err := p.checkTo(p.rel); err != nil {
		return nil, err
	}
	return OpenFile(name, flag, perm)
}

func rename(from, to location) error {
	if err := from.check(); err != nil {
		return err
	}
	if err := to.check(); err != nil {
		return err
	}
	err := os.Rename(from.path(), to.path())
	if InUse(err) && from.folder == to.folder {
		return replaceOpen(from, to, err)
	}
	return err
}

// replaceOpen puts a file in the place of one that somebody has open, which Windows 10 on NTFS can
// do, and package os only within a folder. Where that fails it returns refused.
func replaceOpen(from, to location, refused error) error {
	root, err := os.OpenRoot(from.folder)
	if err != nil {
		return refused
	}
	defer root.Close()
	if root.Rename(from.rel, to.rel) != nil {
		return refused
	}
	return nil
}

func (p location) remove() error {
	if err := p.check(); err != nil {
		return err
	}
	return os.Remove(p.path())
}

func (p location) mkdir(perm fs.FileMode) error {
	if err := p.check(); err != nil {
		return err
	}
	return os.Mkdir(p.path(), perm)
}

func (p location) syncDir(name string) error {
	if err := p.checkTo(p.rel); err != nil {
		return err
	}
	return syncDir(name)
}
