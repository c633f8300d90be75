package fsx

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ErrLink reports a symbolic link inside a folder where none is followed.
var ErrLink = errors.New("it is a symbolic link, which is not followed inside a store: put what it leads to in its place (a data file from elsewhere can be adopted where it is)")

// Within returns a file system that reaches names inside the folder dir, an absolute path, without
// following symbolic links. A link gives [ErrLink]; a pipe, a socket or a device in place of a file
// gives an error at once. The folder itself may be reached through links, and names outside of it
// go to fsys as they are. Within may be applied again, for another folder. An fsys that is neither
// [OS] nor made from it is returned as it is.
//
// Systems other than Unix look for links before each operation: a link that takes the place of a
// file in between is followed.
func Within(fsys FS, dir string) FS {
	dir = filepath.Clean(dir)
	switch fsys := fsys.(type) {
	case osFS:
		return withinFS{folders: []string{dir}}
	case withinFS:
		return withinFS{folders: append(fsys.folders[:len(fsys.folders):len(fsys.folders)], dir)}
	}
	return fsys
}

// OpenWithin is OpenFile of [Within] a folder, for those who need the system's file.
func OpenWithin(dir, name string, flag int, perm fs.FileMode) (*os.File, error) {
	return withinFS{folders: []string{dir}}.open(name, flag, perm)
}

// withinFS is the operating system's file system with folders in which no link is followed.
type withinFS struct{ folders []string }

// location is a name, split at the folder that it is inside of. Without a folder, links on its way
// are followed as usual.
type location struct{ folder, rel string }

func (w withinFS) locate(name string) location {
	name = filepath.Clean(name)
	for _, folder := range w.folders {
		if rel, ok := strings.CutPrefix(name, folder); ok && len(rel) > 1 && os.IsPathSeparator(rel[0]) {
			return location{folder, rel[1:]}
		}
	}
	return location{rel: name}
}

func (w withinFS) open(name string, flag int, perm fs.FileMode) (*os.File, error) {
	p := w.locate(name)
	if p.folder == "" {
		return OpenFile(name, flag, perm)
	}
	return p.open(name, flag, perm)
}

func (w withinFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := w.open(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &osFile{File: f}, nil
}

func (w withinFS) Rename(oldName, newName string) error {
	from, to := w.locate(oldName), w.locate(newName)
	if from.folder == "" && to.folder == "" {
		return os.Rename(oldName, newName)
	}
	return rename(from, to)
}

func (w withinFS) Remove(name string) error {
	p := w.locate(name)
	if p.folder == "" {
		return os.Remove(name)
	}
	return p.remove()
}

func (w withinFS) Mkdir(name string, perm fs.FileMode) error {
	p := w.locate(name)
	if p.folder == "" {
		return os.Mkdir(name, perm)
	}
	return p.mkdir(perm)
}

func (w withinFS) Stat(name string) (fs.FileInfo, error) {
	p := w.locate(name)
	if p.folder == "" {
		return os.Stat(name)
	}
	if err := p.check(); err != nil {
		return nil, err
	}
	fi, err := os.Lstat(name)
	if err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: ErrLink}
	}
	return fi, err
}

func (w withinFS) ReadDir(name string) ([]fs.DirEntry, error) {
	d, err := w.open(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

func (w withinFS) SyncDir(name string) error {
	p := w.locate(name)
	if p.folder == "" {
		return syncDir(name)
	}
	return p.syncDir(name)
}
