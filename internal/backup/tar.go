package backup

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/storefile"
)

const (
	// tarRoot is the folder that all entries of a tar are in.
	tarRoot = "tstore-backup"
	// planEntry is the first entry: the manifest without checksums. The manifest with them is the
	// last.
	planEntry = "MANIFEST"
)

// toTar writes a backup as a tar.
func (b *backup) toTar(ctx context.Context, w io.Writer) (err error) {
	if b.opts.Since != "" {
		if err := b.since(ctx, b.opts.Since); err != nil {
			return fmt.Errorf("the earlier backup %q: %w", b.opts.Since, err)
		}
	}
	if b.hold, err = b.store.holdState(ctx, b.scratch, b.follows()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.hold.release(ctx)) }()
	t := &tarWriter{backup: b, out: tar.NewWriter(w)}
	if err := b.copyKept(ctx, func() error { return t.fill(ctx) }); err != nil {
		return err
	}
	return t.end()
}

// planTar plans a tar, and finds out what the earlier backup has of it.
func (b *backup) planTar(ctx context.Context) error {
	if err := b.plan(ctx); err != nil {
		return err
	}
	b.headers = map[catalog.ID]uint32{}
	for _, it := range b.items {
		if b.compare(it); it.Size == 0 {
			it.there = false // there is a header to write
		}
		it.From = it.have
	}
	return b.ready(ctx)
}

// since makes an earlier backup of the store the one that this one follows.
func (b *backup) since(ctx context.Context, name string) error {
	a, err := openArchive(ctx, name, nil)
	if err != nil {
		return err
	}
	if err := errors.Join(a.skip(), a.close()); err != nil {
		return err
	}
	meta := b.store.Engine.Catalog.Meta()
	if a.m.Store != meta.Store.String() || a.m.Lineage != meta.Lineage.String() {
		return fmt.Errorf("%w: it is of another store, or of this one before it was restored or salvaged", ErrNotBackup)
	}
	b.follow(a.m)
	return nil
}

// tarWriter is a tar that is being written.
type tarWriter struct {
	*backup
	out *tar.Writer
	// m is the first manifest, last the other one.
	m    *manifest.Manifest
	last manifest.Manifest
}

// fill writes all entries but the last.
func (t *tarWriter) fill(ctx context.Context) (err error) {
	if err := t.planTar(ctx); err != nil {
		return err
	}

	mark := catalog.Backup{ID: catalog.NewID(), Seq: 1, Created: t.hold.snap.Created, From: t.store.Engine.Dir}
	cat := manifest.File{Path: storefile.CatalogFile, Key: mark.ID.String()}
	if t.old != nil {
		mark.Seq = t.old.Seq + 1
	}

	// The catalog is made in a scratch file and unlinked while it is open, so that a crash leaves
	// nothing.
	tmp := t.hold.tmpCatalog()
	if _, err := t.store.Engine.FS.Stat(filepath.Dir(tmp)); err != nil {
		return err // such as a link, which Rewrite would follow
	}
	if cat.Size, err = t.rewriteCatalog(ctx, tmp, mark); err != nil {
		return err
	}

	catFile, err := t.store.Engine.FS.OpenFile(tmp, os.O_RDONLY, 0)
	removed := t.store.Engine.FS.Remove(tmp)
	if err != nil {
		return errors.Join(err, removed)
	}

	defer func() { err = errors.Join(err, catFile.Close()) }()
	if removed != nil {
		return removed
	}

	t.hold.unlinkCopy()
	if t.m, err = t.manifest(mark, cat); err != nil {
		return err
	}

	if t.old != nil {
		t.m.Since = append(t.old.Since, manifest.Link{ID: t.old.ID, Created: t.old.Created, Name: t.opts.Since})
	}

	// Plan, mark and text come first: a reader of the stream knows what follows.
	if err := errors.Join(t.text(planEntry, t.m), t.bytes(storefile.MarkFile, []byte(t.m.Mark)), t.bytes(storefile.BackupFile, []byte(backupText(t.store.Engine.Catalog.Meta())))); err != nil {
		return err
	}
	if err := t.catalog(catFile); err != nil {
		return err
	}

	// The last manifest lists what was written, with the checksums that are known only then.
	t.last = *t.m
	t.last.Files = t.m.Files[:1:1]
	for _, it := range t.items {
		if !it.skipped {
			if err := t.file(ctx, it); err != nil {
				return err
			}
		}
		if !it.skipped {
			t.last.Files = append(t.last.Files, it.File)
		}
	}

	t.report.ID, t.report.Created = mark.ID, mark.Created
	return nil
}

// end makes the tar a backup.
func (t *tarWriter) end() error {
	return errors.Join(t.text(path.Join(manifestDir, t.m.ID), &t.last), t.out.Close())
}

// entry begins an entry.
func (t *tarWriter) entry(name string, size int64) error {
	return t.out.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: path.Join(tarRoot, name), Size: size, Mode: 0o644,
		ModTime: t.m.Created.Truncate(time.Second), Format: tar.FormatPAX,
	})
}

func (t *tarWriter) bytes(name string, b []byte) error {
	if err := t.entry(name, int64(len(b))); err != nil {
		return err
	}
	_, err := t.out.Write(b)
	return err
}

func (t *tarWriter) text(name string, m *manifest.Manifest) error {
	var b bytes.Buffer
	if err := m.Encode(&b); err != nil {
		return err
	}
	return t.bytes(name, b.Bytes())
}

// catalog writes the catalog of the backup.
func (t *tarWriter) catalog(f io.Reader) error {
	cat := &t.m.Files[0]
	if err := t.entry(cat.Path, cat.Size); err != nil {
		return err
	}
	var sums manifest.Summer
	_, err := io.Copy(io.MultiWriter(t.out, &sums), f)
	cat.Sums = sums.Sums()
	t.report.Files++
	t.report.Bytes += cat.Size
	t.copied(nil, cat.Size)
	return err
}

// file writes the part of a file that the earlier backup lacks.
func (t *tarWriter) file(ctx context.Context, it *backupItem) error {
	t.report.Files++
	t.report.Bytes += it.Header + it.Size

	if it.Absent() {
		return nil
	}

	if err := t.entry(it.Path, it.Stored()); err != nil {
		return err
	}
	if _, err := t.out.Write(it.header); err != nil {
		return err
	}
	t.copied(it, it.Stored())

	var sums manifest.Summer
	left := it.Size - it.From
	err := t.put(ctx, it, func() error {
		return t.eachPiece(ctx, it, it.From, func(p backupPiece) error {
			left -= p.len()
			p.sum(&sums)
			_, err := t.out.Write(p.b)
			return errors.Join(err, t.zeros(ctx, p.zeros))
		})
	})

	if err == nil {
		err = t.zeros(ctx, left) // the entry of a file that is skipped
	}

	it.Sums = sums.Sums()
	return err
}

// zeros writes n zero bytes.
func (t *tarWriter) zeros(ctx context.Context, n int64) error {
	for n > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		wrote, err := t.out.Write(holeBytes[:min(n, int64(len(holeBytes)))])
		if err != nil {
			return err
		}
		n -= int64(wrote)
	}
	return nil
}

// holeBytes are the zeros of a tar that become a hole of its file.
var holeBytes [manifest.ChunkBytes]byte
