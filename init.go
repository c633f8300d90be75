package tstore

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/sentinel"
)

// formatVersion is the version of the folder's layout that this code reads
// and writes. docs/format.md describes it.
const formatVersion = 1

// Folders and files of a store.
const (
	markFile    = "STORE"
	lockFile    = "lock"
	catalogFile = "catalog.db"
	storageDir  = "storages"
	tmpDir      = "tmp"
	backupFile  = "BACKUP" // says that the folder is a backup; there from the first moment on
)

// mark is the content of the STORE file.
type mark struct {
	format     int
	id         catalog.ID
	durability durability
}

func (m mark) String() string {
	return fmt.Sprintf("tstore store\nformat %d\nid %v\ndurability %v\n", m.format, m.id, m.durability)
}

// initDir makes the folder a store. The STORE file comes last: without it the
// folder is no store, and a later Init goes on from what is there.
func initDir(ctx context.Context, fsys fsx.FS, dir string, opts engineOptions) error {
	level, err := opts.Durability.level(durabilityNone)
	if err != nil {
		return err
	}
	if opts.Durability == durabilityOfStore {
		level = durabilityPower
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if !opts.AllowNetworkFS {
		if err := mustBeLocal(abs); err != nil {
			return err
		}
	}
	fsys = fsx.Within(fsys, abs)
	for _, d := range []string{abs, filepath.Join(abs, storageDir), filepath.Join(abs, tmpDir)} {
		if err := mkdir(fsys, d); err != nil {
			return err
		}
	}
	lock, err := lockGC(ctx, abs, filelock.Exclusive, opts.patience())
	if err != nil {
		return err
	}
	defer lock.Unlock()
	if _, err := fsys.Stat(filepath.Join(abs, markFile)); !errors.Is(err, fs.ErrNotExist) {
		if err != nil {
			return err
		}
		return fmt.Errorf("%w: it has a %s file", catalog.ErrExists, markFile)
	}
	if err := mustHoldNoOrphans(fsys, abs); err != nil {
		return err
	}
	id, err := initCatalog(ctx, abs, opts)
	if err != nil {
		return err
	}
	if err := keepReserve(fsys, filepath.Join(abs, reserveFile)); err != nil {
		return err
	}
	return writeMark(fsys, abs, mark{format: formatVersion, id: id, durability: level})
}

// mustHoldNoOrphans keeps Init from giving an empty catalog to a folder whose
// own one is lost: gc would then remove all that is in it.
func mustHoldNoOrphans(fsys fsx.FS, dir string) error {
	if _, err := fsys.Stat(filepath.Join(dir, catalogFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	folders, err := fsys.ReadDir(filepath.Join(dir, storageDir))
	if err != nil {
		return err
	}
	for _, d := range folders {
		if !d.IsDir() {
			continue
		}
		files, err := fsys.ReadDir(filepath.Join(dir, storageDir, d.Name()))
		if err != nil {
			return err
		}
		if len(files) > 0 {
			return fmt.Errorf("%w: its %s is lost, but there are data files in %s: get them back with: tstore fsck --salvage", catalog.ErrExists, catalogFile, storageDir)
		}
	}
	return nil
}

// initCatalog makes the catalog, or takes over the one that an interrupted
// Init left.
func initCatalog(ctx context.Context, dir string, o engineOptions) (catalog.ID, error) {
	cat, err := catalog.Create(ctx, dir, o.catalog(durabilityPower))
	if errors.Is(err, catalog.ErrExists) {
		cat, err = catalog.Open(ctx, dir, o.catalog(durabilityPower))
	}
	if err != nil {
		return catalog.ID{}, err
	}
	id := cat.StoreID()
	return id, cat.Close()
}

func writeMark(fsys fsx.FS, dir string, m mark) error {
	tmp := filepath.Join(dir, tmpDir, markFile)
	f, err := fsys.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(f, m.String()); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(fsx.Publish(fsys, f, tmp, filepath.Join(dir, markFile)), f.Close())
}

// readMark reads the STORE file.
func readMark(fsys fsx.FS, dir string) (mark, error) {
	f, err := fsys.OpenFile(filepath.Join(dir, markFile), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := fsys.Stat(filepath.Join(dir, backupFile)); err == nil {
			return mark{}, fmt.Errorf("%w: it is a folder for a backup that was never finished: run tstore backup again", errNotStore)
		}
		return mark{}, fmt.Errorf("%w: it has no %s file (make a store with: tstore init)", errNotStore, markFile)
	}
	if err != nil {
		return mark{}, err
	}
	defer f.Close()
	return parseMark(io.LimitReader(f, 4096))
}

func parseMark(r io.Reader) (mark, error) {
	m := mark{durability: durabilityPower}
	sc := bufio.NewScanner(r)
	if !sc.Scan() || sc.Text() != "tstore store" {
		return m, fmt.Errorf("%w: the %s file does not begin with %q", errNotStore, markFile, "tstore store")
	}
	for sc.Scan() {
		key, value, _ := strings.Cut(sc.Text(), " ")
		var err error
		switch key {
		case "format":
			// What follows may be what only newer programs understand.
			if m.format, err = strconv.Atoi(value); m.format > formatVersion {
				return m, sentinel.Newer("the store", m.format, formatVersion)
			}
		case "id":
			m.id, err = catalog.ParseID(value)
		case "durability":
			m.durability, err = parseDurability(value)
		}
		if err != nil {
			return m, fmt.Errorf("%w: %s file, line %q: %v", catalog.ErrCorrupt, markFile, sc.Text(), err)
		}
	}
	switch {
	case sc.Err() != nil:
		return m, sc.Err()
	case m.format < 1 || m.id == catalog.ID{}:
		return m, fmt.Errorf("%w: the %s file names no format and id", catalog.ErrCorrupt, markFile)
	}
	return m, nil
}
