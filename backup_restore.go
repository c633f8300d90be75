package tstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
)

// RestoreOptions of Restore and Store.RestoreNames. Nil means the defaults.
type RestoreOptions struct {
	// Stdin is the tar that the source "-" reads.
	Stdin io.Reader
	// Progress, when set, is called now and then with the bytes done and all that
	// are to be copied. Calls do not overlap.
	Progress func(done, total int64)
}

// RestoreReport says what Restore has made.
type RestoreReport struct {
	// Created is when the state was that of the store that was backed up.
	Created time.Time
	Files   int
	Bytes   int64
	// Problems are what Check finds in the new store: damage that the backup has
	// been made with, and adopted files that are not there.
	Problems []Problem
}

// Restore makes a new store in dir, which must be missing or empty, of a backup:
// the newest of the sources, which are folders and tar files that Backup has made.
// What that leaves out, because it was made since another, is read from the
// others, in any order. All bytes are compared with their checksums. The store is
// made beside dir, under its name and ".restoring", and renamed when it is whole and
// durable, so that a failure leaves nothing. What an interrupted Restore has left
// there is made anew; all else that is there is ErrExists, and a Restore at work
// ErrBusy.
//
// The new store goes on by itself: it has the id of the old one, but the next
// backup of one can't be made into those of the other.
func Restore(ctx context.Context, sources []string, dir string, o *RestoreOptions) (*RestoreReport, error) {
	r, err := restore(ctx, fsx.OS, sources, dir, o)
	if err != nil {
		return nil, fmt.Errorf("restore to %q: %w", dir, err)
	}
	return r, nil
}

func restore(ctx context.Context, fsys fsx.FS, sources []string, dir string, o *RestoreOptions) (report *RestoreReport, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		abs = real // the link stays, and says on which disk
	}
	if err := mustBeEmpty(fsys, abs); err != nil {
		return nil, err
	}
	x, err := openExtraction(ctx, fsys, sources, o)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.close()) }()
	if err := x.plan(nil); err != nil {
		return nil, err
	}
	x.dir = abs + ".restoring"
	lock, err := x.begin()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	report, err = x.makeStore(ctx)
	if err == nil {
		err = replaceFolder(fsys, x.dir, abs)
	}
	if err != nil {
		return nil, errors.Join(err, removeFolder(fsys, x.dir))
	}
	return report, nil
}

// mustBeEmpty is ErrExists when there is something in a folder, or another disk.
func mustBeEmpty(fsys fsx.FS, dir string) error {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%w: the folder is not empty: choose a new one", ErrExists)
	}
	if err != nil {
		return err
	}
	own, err := fsys.Stat(dir)
	if err != nil {
		return err
	}
	above, err := fsys.Stat(filepath.Dir(dir))
	if err == nil && fsx.IdentityOf(own).Dev != fsx.IdentityOf(above).Dev {
		err = fmt.Errorf("%w: a file system is mounted on the folder: choose a new folder in it, such as %q", ErrExists, filepath.Join(dir, "store"))
	}
	return err
}

// replaceFolder gives a finished folder its name, which an empty one may have.
func replaceFolder(fsys fsx.FS, tmp, dir string) error {
	if err := fsys.Remove(filepath.Join(tmp, restoringFile)); err != nil {
		return err
	}
	if err := fsys.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := fsys.Rename(tmp, dir); err != nil {
		return err
	}
	return fsys.SyncDir(filepath.Dir(dir))
}

// removeFolder removes a folder that a restore has begun.
func removeFolder(fsys fsx.FS, dir string) error {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if e.IsDir() {
			err = errors.Join(err, removeFolder(fsys, name))
		} else {
			err = errors.Join(err, fsys.Remove(name))
		}
	}
	return errors.Join(err, fsys.Remove(dir))
}

// extraction makes a store of archives.
type extraction struct {
	fs       fsx.FS
	opts     RestoreOptions
	archives []*archive
	newest   *archive
	// files are what the store is to have, by their keys.
	files map[string]*extracted
	buf   []byte
	done  int64
	total int64
	dir   string
}

// extracted is a file on its way into the store.
type extracted struct {
	*manifest.File
	pieces []span // that have come
	file   fsx.File
	headed int64 // the length of the payload that the header describes, plus one
}

func openExtraction(ctx context.Context, fsys fsx.FS, sources []string, o *RestoreOptions) (*extraction, error) {
	x := &extraction{fs: fsys, files: map[string]*extracted{}}
	if o != nil {
		x.opts = *o
	}
	if len(sources) == 0 {
		return nil, errors.New("no backup is named")
	}
	for _, name := range sources {
		a, err := openArchive(ctx, name, x.opts.Stdin)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%q: %w", name, err), x.close())
		}
		x.archives = append(x.archives, a)
		if x.newest == nil || cmp.Compare(a.m.Seq, x.newest.m.Seq) > 0 || a.m.Seq == x.newest.m.Seq && a.m.Created.After(x.newest.m.Created) {
			x.newest = a
		}
	}
	return x, nil
}

func (x *extraction) close() error {
	var errs []error
	for _, a := range x.archives {
		errs = append(errs, a.close())
	}
	return errors.Join(errs...)
}

// plan finds out which archive has what, and is an error when something is in
// none. want, when set, says which files of data are needed.
func (x *extraction) plan(want func(*manifest.File) bool) error {
	for i := range x.newest.m.Files {
		f := &x.newest.m.Files[i]
		if err := ownPath(f.Path); err != nil {
			return err
		}
		if want != nil && !want(f) {
			continue
		}
		if x.files[f.Key] != nil {
			return fmt.Errorf("%w: %q has the key of another file", ErrCorrupt, f.Path)
		}
		x.files[f.Key] = &extracted{File: f}
		x.total += f.Size
	}
	for _, e := range x.files {
		if !x.covered(e) {
			return x.missing(e)
		}
	}
	return nil
}

// covered reports whether the archives have all of a file.
func (x *extraction) covered(e *extracted) bool {
	have := int64(0)
	for range x.archives {
		for _, a := range x.archives {
			if f := a.byKey(e.Key); f != nil && f.From <= have && !f.Absent() {
				have = max(have, f.Size)
			}
		}
	}
	return have >= e.Size
}

// missing names the archives that are not there.
func (x *extraction) missing(e *extracted) error {
	given := map[string]bool{}
	for _, a := range x.archives {
		given[a.m.ID] = true
	}
	var names []string
	for _, l := range x.newest.m.Since {
		if !given[l.ID] {
			names = append(names, fmt.Sprintf("%q of %s", l.Name, l.Created.Format(time.RFC3339)))
		}
	}
	return fmt.Errorf("%w: the backup %q was made since others, and %s is in none of those that are named: add %s", ErrNotBackup, x.newest.name, e.Path, cmp.Or(strings.Join(names, ", "), "the backup that it was made since"))
}

// makeStore makes a store in the folder.
func (x *extraction) makeStore(ctx context.Context) (report *RestoreReport, err error) {
	if err := x.fill(ctx); err != nil {
		return nil, err
	}
	report = &RestoreReport{Created: x.newest.m.Created, Files: len(x.files), Bytes: x.total}
	report.Problems, err = mend(ctx, x.fs, x.dir)
	return report, err
}

// fill puts everything into the folder.
func (x *extraction) fill(ctx context.Context) error {
	for _, a := range x.archives {
		err := a.each(ctx, func(f *manifest.File, head []byte, payload io.Reader) error { return x.take(a, f, head, payload) }, nil)
		if err != nil {
			return fmt.Errorf("%q: %w", a.name, err)
		}
	}
	if err := x.dropSkipped(); err != nil {
		return err
	}
	if err := x.finish(); err != nil {
		return err
	}
	return x.install(ctx)
}

// restoringFile tells the folder of a restore, until it has its name, from a store
// and from all else.
const restoringFile = "RESTORING"

// begin makes the folder, or takes over what a restore has left that died.
func (x *extraction) begin() (*filelock.Held, error) {
	err := x.fs.Mkdir(x.dir, 0o755)
	if errors.Is(err, fs.ErrExist) {
		err = x.mustBeLeft()
	}
	if err != nil {
		return nil, err
	}
	lock, err := filelock.TryLock(filepath.Join(x.dir, lockFile), restoreLock, filelock.Exclusive)
	if errors.Is(err, filelock.ErrHeld) {
		err = fmt.Errorf("%w: another restore is at work in %q: wait until it has finished", ErrBusy, x.dir)
	}
	if err != nil {
		return nil, err
	}
	if err := x.empty(); err != nil {
		return nil, errors.Join(err, lock.Unlock())
	}
	return lock, nil
}

// mustBeLeft is ErrExists unless a restore has left the folder.
func (x *extraction) mustBeLeft() error {
	entries, err := x.fs.ReadDir(x.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if e.Name() == restoringFile {
			return nil
		}
	}
	if len(entries) == 0 || len(entries) == 1 && entries[0].Name() == lockFile {
		return nil
	}
	return fmt.Errorf("%w: the store would be made in %q, which is there and is not what an interrupted restore has left: give it another name, or choose another folder", ErrExists, x.dir)
}

// empty makes the folder one of a restore, with nothing in it.
func (x *extraction) empty() error {
	f, err := x.fs.OpenFile(filepath.Join(x.dir, restoringFile), os.O_RDWR|os.O_CREATE, 0o644)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		return err
	}
	for _, sub := range []string{storageDir, snapshotDir, tmpDir} {
		if err := errors.Join(removeFolder(x.fs, filepath.Join(x.dir, sub)), mkdir(x.fs, filepath.Join(x.dir, sub))); err != nil {
			return err
		}
	}
	if err := x.fs.Remove(filepath.Join(x.dir, markFile)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// byKey finds a file of an archive by its content.
func (a *archive) byKey(key string) *manifest.File {
	if a.keys == nil {
		a.keys = map[string]*manifest.File{}
		for i := range a.m.Files {
			a.keys[a.m.Files[i].Key] = &a.m.Files[i]
		}
	}
	return a.keys[key]
}

// place is where a file is made.
func (x *extraction) place(f *manifest.File) string {
	if f.Path == catalogFile {
		return filepath.Join(x.dir, tmpDir, catalogFile+".backup")
	}
	return filepath.Join(x.dir, filepath.FromSlash(f.Path))
}

// take writes what an archive has of a file.
func (x *extraction) take(a *archive, f *manifest.File, head []byte, payload io.Reader) error {
	e := x.files[f.Key]
	if e == nil || a.byKey(f.Key) == nil || f.From > e.Size {
		return nil
	}
	if err := x.open(e); err != nil {
		return err
	}
	if f.Size+1 > e.headed && f.Header == e.Header {
		e.headed = f.Size + 1
		if _, err := e.file.WriteAt(head, 0); err != nil {
			return err
		}
	}
	w := fsx.NewStreamWriter(e.file, e.Header+f.From, nil)
	n := min(f.Size, e.Size) - f.From
	out := io.Writer(w)
	if e.Sparse {
		out = &sparseWriter{file: e.File, at: f.From, w: w}
	}
	if err := x.copy(out, payload, n); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	e.pieces = append(e.pieces, span{f.From, f.From + n})
	if f.From > 0 || f.Size < e.Size {
		return x.shut(e, false)
	}
	return x.shut(e, true)
}

// copy copies n bytes, and tells of them.
func (x *extraction) copy(w io.Writer, r io.Reader, n int64) error {
	if x.buf == nil {
		x.buf = make([]byte, 1<<20)
	}
	for n > 0 {
		p := x.buf[:min(n, int64(len(x.buf)))]
		if _, err := io.ReadFull(r, p); err != nil {
			return cutEntry(err)
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
		n -= int64(len(p))
		x.done += int64(len(p))
		if x.opts.Progress != nil {
			x.opts.Progress(min(x.done, x.total), x.total)
		}
	}
	return nil
}

// open begins a file, or goes on with one.
func (x *extraction) open(e *extracted) (err error) {
	name := x.place(e.File)
	if e.pieces != nil {
		e.file, err = x.fs.OpenFile(name, os.O_RDWR, 0)
		return err
	}
	if err := x.fs.Mkdir(filepath.Dir(name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if e.file, err = x.fs.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644); err != nil {
		return err
	}
	if e.Sparse {
		return e.file.Truncate(e.Header + e.Size)
	}
	return fsx.Reserve(e.file, 0, e.Header+e.Size)
}

// shut closes a file, and syncs it when it is whole.
func (x *extraction) shut(e *extracted, whole bool) error {
	var err error
	if whole {
		err = e.file.Sync()
	}
	return errors.Join(err, e.file.Close())
}

// dropSkipped removes files of which a tar has nothing but zeros, since they could
// not be read.
func (x *extraction) dropSkipped() error {
	for key, e := range x.files {
		if x.newest.byKey(key) != nil {
			continue
		}
		delete(x.files, key)
		if err := x.fs.Remove(x.place(e.File)); err != nil {
			return err
		}
	}
	return nil
}

// finish syncs what came in pieces, and the folders.
func (x *extraction) finish() error {
	dirs := map[string]bool{filepath.Join(x.dir, storageDir): true, filepath.Join(x.dir, snapshotDir): true}
	for _, e := range x.files {
		if len(e.pieces) == 0 {
			return fmt.Errorf("%w: %s is in none of the archives", ErrCorrupt, e.Path)
		}
		dirs[filepath.Dir(x.place(e.File))] = true
		if len(e.pieces) == 1 && e.pieces[0] == (span{0, e.Size}) {
			continue
		}
		f, err := x.fs.OpenFile(x.place(e.File), os.O_RDWR, 0)
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

// install makes the folder a store: its catalog, and last its mark.
func (x *extraction) install(ctx context.Context) error {
	from := filepath.Join(x.dir, tmpDir, catalogFile+".backup")
	to := filepath.Join(x.dir, tmpDir, catalogFile)
	id, err := catalog.ParseID(x.newest.m.Store)
	if err != nil {
		return err
	}
	_, _, err = catalog.Rewrite(ctx, from, to, func(c *catalog.Tx) error {
		if c.Meta().Store != id {
			return fmt.Errorf("%w: the catalog is of store %v, the backup of store %v", ErrCorrupt, c.Meta().Store, id)
		}
		return errors.Join(c.MarkRestored(), forgetBoots(c))
	})
	if err != nil {
		return err
	}
	if err := errors.Join(x.fs.Remove(from), catalog.Install(ctx, x.dir, to, nil)); err != nil {
		return err
	}
	m, err := parseMark(strings.NewReader(x.newest.m.Mark))
	if err != nil {
		return err
	}
	if m.id != id {
		return fmt.Errorf("%w: the mark is of store %v, the backup of store %v", ErrCorrupt, m.id, id)
	}
	return errors.Join(keepReserve(x.fs, filepath.Join(x.dir, reserveFile)), writeMark(x.fs, x.dir, m))
}

// forgetBoots says that all files have been synced.
func forgetBoots(c *catalog.Tx) error {
	var marked []catalog.Storage
	for st, err := range c.Storages() {
		if err != nil {
			return err
		}
		if st.Boot != "" {
			marked = append(marked, st)
		}
	}
	for _, st := range marked {
		st.Boot = ""
		if err := c.RestoreStorage(st); err != nil {
			return err
		}
	}
	return nil
}

// mend writes headers again that an interrupted backup has left behind, and looks
// for damage.
func mend(ctx context.Context, fsys fsx.FS, dir string) (found []Problem, err error) {
	s, err := Open(ctx, dir, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	s.fs = fsys
	found, err = s.Check(ctx)
	for _, p := range found {
		if p.Kind == ProblemHeader {
			_, err = s.Repair(ctx, nil)
			if err != nil {
				return found, err
			}
			return s.Check(ctx)
		}
	}
	return found, err
}

// sparseWriter leaves blocks of zeros out.
type sparseWriter struct {
	file *manifest.File
	at   int64
	w    *fsx.StreamWriter
}

func (s *sparseWriter) Write(p []byte) (int, error) {
	err := writePiece(s.w, s.file, p, s.at)
	s.at += int64(len(p))
	return len(p), err
}

// storageOfPath is the id of the storage that a file of data or checksums is of.
func storageOfPath(file string) (catalog.ID, bool) {
	f, ok := parseStoreFile(path.Base(file))
	return f.id, ok
}
