package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// storeName is the default folder of a store.
const storeName = ".tstore"

// errNoStore is the error of a command that works on a store where there is none.
var errNoStore = errors.New("no store here or above: tstore init makes one, --store DIR names one")

// findStore returns the folder of the store that the command works on.
func (a *app) findStore() (string, error) {
	if a.storeDir != "" {
		return storeIn(a.storeDir), nil
	}

	// Look in the folders above, as git does.
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the store: %w", err)
	}

	for dir := here; ; dir = filepath.Dir(dir) {
		if found := filepath.Join(dir, storeName); isFolder(found) {
			return found, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errNoStore
		}
	}
}

// storeIn returns the store that a folder holds as .tstore, or else the folder. A store has no
// .tstore of its own.
func storeIn(dir string) string {
	if held := filepath.Join(dir, storeName); isFolder(held) {
		return held
	}
	return dir
}

func isFolder(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// newStoreDir returns the folder for a new store. Unlike findStore it does not look in other
// folders.
func (a *app) newStoreDir(args []string) string {
	switch {
	case len(args) > 0:
		return args[0]
	case a.storeDir != "":
		return a.storeDir
	}
	return storeName
}

// reading runs fn on the store, opened for reading. It is opened for writing where that can be
// done, so that a small change which a crash interrupted is completed by whoever looks next.
func (a *app) reading(ctx context.Context, fn func(*tstore.Store) error) error {
	return a.withStore(ctx, fn, func(dir string) (*tstore.Store, error) {
		s, err := tstore.Open(ctx, dir, a.storeOptions(false))
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) || errors.Is(err, tstore.ErrNetworkFS) {
			return tstore.Open(ctx, dir, a.storeOptions(true))
		}
		return s, err
	})
}

// changing runs fn on the store, opened for reading and writing.
func (a *app) changing(ctx context.Context, fn func(*tstore.Store) error) error {
	return a.withStore(ctx, fn, func(dir string) (*tstore.Store, error) {
		return tstore.Open(ctx, dir, a.storeOptions(false))
	})
}

func (a *app) withStore(ctx context.Context, fn func(*tstore.Store) error, open func(dir string) (*tstore.Store, error)) error {
	if a.within != nil {
		return a.withNearest(ctx, a.within, fn(a.within))
	}

	dir, err := a.findStore()
	if err != nil {
		return err
	}
	s, err := open(dir)
	if err != nil {
		return err
	}

	if fsType := s.NetworkFS(); fsType != "" && !a.allowNetworkFS {
		a.note("warning: the store %s is on %s: if other machines change it, what is read may be old, and what is committed can be lost", printable(s.Dir()), fsType)
	}

	err = a.withNearest(ctx, s, fn(s))
	return errors.Join(err, s.Close())
}

// shortestWait is the wait for locks that are held no longer than a small transaction takes.
const shortestWait = 5 * time.Millisecond

// patience returns how long to wait for locks.
func (a *app) patience() time.Duration {
	if a.lockTimeout == 0 {
		return shortestWait
	}
	return a.lockTimeout
}

// storeOptions returns the options that the flags of all commands ask for.
func (a *app) storeOptions(readOnly bool) *tstore.Options {
	return &tstore.Options{ReadOnly: readOnly, LockTimeout: a.patience(), AllowNetworkFS: a.allowNetworkFS, AllowDirty: a.allowDirty, Paranoid: a.paranoid, Durability: tstore.Durability(a.durability)}
}

// dataFile returns the absolute path of the file that holds a storage's bytes.
func dataFile(s *tstore.Store, st catalog.Storage) string {
	if st.Adopted {
		return st.Path
	}
	return filepath.Join(s.Dir(), filepath.FromSlash(st.File()))
}
