package backup

import (
	"archive/tar"
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// archive is a backup that is read: a folder, or a tar from its beginning to its end.
type archive struct {
	name string
	m    *manifest.Manifest
	dir  string      // of a folder
	in   *tar.Reader // of a tar, behind its first entry
	file *os.File    // that in reads; nil if it is no file
	raw  bool        // the bytes of the present entry are those that file has
	keys map[string]*manifest.File
	buf  []byte
	// texts are the contents of the small entries that each has read.
	texts map[string]string
}

// maxText bounds the small files of a backup.
const maxText = 4096

// openArchive opens a folder or a tar file, or the tar on stdin if name is "-".
func openArchive(ctx context.Context, name string, stdin io.Reader) (*archive, error) {
	a := &archive{name: name}
	if name == "-" && stdin != nil {
		return a, a.begin(bufio.NewReaderSize(stdin, 1<<20))
	}

	fi, err := os.Stat(name)
	if err != nil {
		return nil, err
	}

	if fi.IsDir() {
		if a.dir, err = filepath.Abs(name); err != nil {
			return nil, err
		}
		if _, err := storefile.ReadMark(fsx.Within(fsx.OS, a.dir), a.dir); err != nil {
			return nil, err
		}
		a.m, _, err = readBackupFolder(ctx, a.dir)
		return a, err
	}

	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}

	a.file = f
	if err := a.begin(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return a, nil
}

func (a *archive) close() error {
	if a == nil || a.file == nil {
		return nil
	}
	return a.file.Close()
}

// begin reads the first entry of a tar.
func (a *archive) begin(r io.Reader) error {
	a.in = tar.NewReader(r)
	name, _, err := a.next()
	if err == nil && name != planEntry {
		err = fmt.Errorf("its first entry is %q, expected %q", name, planEntry)
	}
	if errors.Is(err, context.Canceled) {
		return err // a reader of a stream ends so
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNotBackup, err)
	}
	a.m, err = manifest.Decode(a.in)
	return err
}

// next returns the next entry of a tar: a plain file, and nothing else.
func (a *archive) next() (name string, size int64, err error) {
	h, err := a.in.Next()
	if errors.Is(err, io.EOF) {
		return "", 0, fmt.Errorf("%w: it ends before its last entry", store.ErrTruncated)
	}
	if err != nil {
		return "", 0, damagedTar(err)
	}
	a.raw = !isPacked(h)
	name, inside := strings.CutPrefix(h.Name, tarRoot+"/")
	if h.Typeflag != tar.TypeReg || !inside {
		return "", 0, fmt.Errorf("%w: entry %.200q of type %q: expected a plain file in %s", store.ErrCorrupt, h.Name, h.Typeflag, tarRoot)
	}
	return name, h.Size, nil
}

// isPacked reports whether another program has made an entry anew, without its zeros.
func isPacked(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}

// damagedTar returns the error for a tar that can't be read.
func damagedTar(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: it ends in the middle of an entry", store.ErrTruncated)
	}
	return fmt.Errorf("%w: %w", store.ErrCorrupt, err)
}

// each calls fn for the files that the archive has, with the header and the payload from f.From on,
// and compares what it read with the checksums. The checksums of a tar are known only at its end,
// so the work of fn counts only if each returns nil. If bad is set, it gets the differences
// instead.
func (a *archive) each(ctx context.Context, fn func(f *manifest.File, head []byte, payload *entryReader) error, bad func(check.Damage) error) error {
	if bad == nil {
		bad = func(d check.Damage) error {
			return fmt.Errorf("%w: %s, bytes %d to %d are not what was backed up", d.Err, d.File, d.Offset, d.Offset+d.Bytes)
		}
	}
	if a.in == nil {
		return a.eachFile(ctx, fn, bad)
	}
	return a.eachEntry(ctx, fn, bad)
}

// eachFile is each for a folder.
func (a *archive) eachFile(ctx context.Context, fn func(*manifest.File, []byte, *entryReader) error, bad func(check.Damage) error) error {
	for i := range a.m.Files {
		f := &a.m.Files[i]
		err := a.readFile(ctx, f, fn, bad)
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *archive) readFile(ctx context.Context, f *manifest.File, fn func(*manifest.File, []byte, *entryReader) error, bad func(check.Damage) error) error {
	if err := ownPath(f.Path); err != nil {
		return err
	}

	in, err := fsx.OpenWithin(a.dir, filepath.Join(a.dir, filepath.FromSlash(f.Path)), os.O_RDONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		return bad(check.Damage{File: f.Path, Bytes: -1, Err: store.ErrMissing})
	}
	if err != nil {
		return err
	}
	defer in.Close()

	sums, head, err := a.readEntry(ctx, f, in, in, fn)
	if errors.Is(err, store.ErrTruncated) {
		return bad(check.Damage{File: f.Path, Bytes: -1, Err: store.ErrTruncated})
	}
	if err != nil {
		return err
	}
	if f.Grown {
		head = f.HeaderSum // it is mended by the next backup, and by Restore
	}
	return compareSums(f, sums, head, bad)
}

// eachEntry is each for a tar. The entries of a tar come in one pass, and its last entry has the
// checksums. So the sums of the entries are kept and compared at the end.
func (a *archive) eachEntry(ctx context.Context, fn func(*manifest.File, []byte, *entryReader) error, bad func(check.Damage) error) error {
	type found struct {
		sums []string
		head uint32
	}

	files, seen := a.m.ByPath(), map[string]*found{}
	a.texts = map[string]string{}
	last := path.Join(manifestDir, a.m.ID)

	for {
		name, size, err := a.next()
		if err != nil {
			return err
		}

		if name == storefile.MarkFile || name == storefile.BackupFile {
			b, err := io.ReadAll(io.LimitReader(a.in, maxText))
			if err != nil {
				return damagedTar(err)
			}
			a.texts[name] += string(b) // an entry that is there twice is none of a backup
			continue
		}
		if name == last {
			break
		}

		f := files[name]
		switch {
		case f == nil || f.Absent():
			return fmt.Errorf("%w: entry %.200q is not in its manifest", store.ErrCorrupt, name)
		case seen[name] != nil:
			return fmt.Errorf("%w: entry %.200q is there twice", store.ErrCorrupt, name)
		case size != f.Stored():
			return fmt.Errorf("%w: entry %q has %d bytes, its manifest says %d", store.ErrCorrupt, name, size, f.Stored())
		}

		if err := ownPath(name); err != nil {
			return err
		}

		var file *os.File
		if a.raw {
			file = a.file
		}

		sums, head, err := a.readEntry(ctx, f, a.in, file, fn)
		if err != nil {
			return err
		}
		seen[name] = &found{sums, head}
	}

	// The last entry is the final manifest: nothing may follow it.
	m, err := manifest.Decode(a.in)
	if err != nil {
		return damagedTar(err)
	}
	if _, err := a.in.Next(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: it goes on behind its last entry, or its end is missing (%v)", store.ErrCorrupt, err)
	}

	if m.ID != a.m.ID {
		return fmt.Errorf("%w: its last entry is of another backup", store.ErrCorrupt)
	}

	for i := range m.Files {
		f := &m.Files[i]
		if f.Absent() {
			continue
		}

		got, plan := seen[f.Path], files[f.Path]
		if got == nil || plan.Key != f.Key || plan.From != f.From || plan.Size != f.Size {
			return fmt.Errorf("%w: entry %.200q is missing, or another than its manifests say", store.ErrCorrupt, f.Path)
		}
		if err := compareSums(f, got.sums, got.head, bad); err != nil {
			return err
		}
	}

	a.m, a.keys = m, nil
	return nil
}

// skip goes to the last entry of a tar, without reading the others where it can be positioned, and
// takes over the manifest there: what was damaged when the backup was made is not in it.
func (a *archive) skip() error {
	if a.in == nil {
		return nil
	}
	for last := path.Join(manifestDir, a.m.ID); ; {
		name, _, err := a.next()
		if err != nil {
			return err
		}
		if name != last {
			continue
		}
		m, err := manifest.Decode(a.in)
		a.m = m
		return err
	}
}

// ownPath returns ErrCorrupt unless path is the path of a file of a store.
func ownPath(file string) error {
	base := path.Base(file)
	if file == storefile.CatalogFile {
		return nil
	}
	if f, ok := storefile.ParseName(base); ok && f.Path() == file {
		return nil
	}
	if _, ok := storefile.ParseSnapshot(base); ok && path.Dir(file) == storefile.SnapshotDir && !strings.HasSuffix(base, storefile.SnapshotTemp) {
		return nil
	}
	return fmt.Errorf("%w: %.200q is not a file of a store", store.ErrCorrupt, file)
}

// compareSums calls bad with each piece of a file whose checksum differs. It ends with the first
// error of bad.
func compareSums(f *manifest.File, sums []string, head uint32, bad func(check.Damage) error) error {
	if f.Header > 0 && head != f.HeaderSum {
		if err := bad(check.Damage{File: f.Path, Bytes: f.Header, Err: store.ErrChecksum}); err != nil {
			return err
		}
	}

	if slices.Equal(sums, f.Sums) {
		return nil
	}
	for i := range max(len(sums), len(f.Sums)) {
		if i < len(sums) && i < len(f.Sums) && sums[i] == f.Sums[i] {
			continue
		}

		at := f.From + int64(i)*manifest.ChunkBytes
		if err := bad(check.Damage{File: f.Path, Offset: f.Header + at, Bytes: min(manifest.ChunkBytes, f.Size-at), Err: store.ErrChecksum}); err != nil {
			return err
		}
	}
	return nil
}
