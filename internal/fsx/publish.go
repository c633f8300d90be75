package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Pending is a complete file under a temporary name. File is the one descriptor it was written through, opened
// before the first write: only that one is sure to hear of every failed write.
type Pending struct {
	File       File
	Tmp, Final string
}

// Publish gives a complete file its final name durably: Sync, Rename, SyncDir of the final name's directory. f
// stays open. Both names must be on one file system.
//
// An error is final and nothing is undone: after a failed Sync the bytes are lost, however often it is called
// again; after a failed SyncDir the file has its final name, perhaps not for good. The caller decides by its
// catalog what to remove.
func Publish(fsys FS, f File, tmp, final string) error {
	return PublishAll(fsys, []Pending{{f, tmp, final}})
}

// PublishAll publishes several files as [Publish] does, with one SyncDir for each directory. All files are durable
// before the first is renamed.
func PublishAll(fsys FS, files []Pending) error {
	for _, p := range files {
		if err := p.File.Sync(); err != nil {
			return fmt.Errorf("publish %q: its bytes did not reach the disk: %w", p.Final, err)
		}
	}
	for _, p := range files {
		if err := fsys.Rename(p.Tmp, p.Final); err != nil {
			return fmt.Errorf("publish %q: %w", p.Final, err)
		}
	}
	synced := map[string]bool{}
	for _, p := range files {
		dir := filepath.Dir(p.Final)
		if synced[dir] {
			continue
		}
		if err := fsys.SyncDir(dir); err != nil {
			return fmt.Errorf("publish %q: its name may not outlive a power cut: %w", p.Final, err)
		}
		synced[dir] = true
	}
	return nil
}

// WriteFile makes or replaces the file name as a whole: after a crash it has its old bytes or those that write
// wrote, never a part. The bytes are gathered in name+".tmp", which an error removes as far as possible and which
// the next WriteFile replaces. Callers see to it that there is one writer of a name at a time.
func WriteFile(fsys FS, name string, perm fs.FileMode, write func(File) error) error {
	tmp := name + ".tmp"
	f, err := fsys.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = Publish(fsys, f, tmp, name)
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		_ = fsys.Remove(tmp) // gone already if only SyncDir failed
	}
	return err
}

// MkdirAll makes the directory name with its missing parents, durably: each new one is synced into its parent. It
// returns nil if name is a directory already.
func MkdirAll(fsys FS, name string, perm fs.FileMode) error {
	fi, err := fsys.Stat(name)
	if err == nil {
		if !fi.IsDir() {
			return &fs.PathError{Op: "mkdir", Path: name, Err: errors.New("it exists and is not a directory")}
		}
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(name)
	if parent == name {
		return err
	}
	if err := MkdirAll(fsys, parent, perm); err != nil {
		return err
	}
	if err := fsys.Mkdir(name, perm); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return fsys.SyncDir(parent)
}
