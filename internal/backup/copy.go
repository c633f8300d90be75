package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// eachPiece reads the payload of an item in order, from byte from on, and calls fn with the pieces.
// It verifies sealed payloads on the way.
func (b *backup) eachPiece(ctx context.Context, it *backupItem, from int64, fn func(backupPiece) error) error {
	switch it.kind {
	case sumsItem:
		return b.sumsPiece(it, fn)
	case imageItem:
		return b.filePieces(ctx, b.store.Engine.Path(it.snapshot.File()), it, from, nil, fn)
	}

	st := it.storage
	path := b.store.Engine.Path(st.File())
	if st.Seal == nil {
		return b.filePieces(ctx, path, it, from, nil, fn)
	}

	bad := &check.BadBlocks{Found: map[int64]error{}}
	sums, err := b.store.Engine.LoadSums(st)
	if err == nil {
		check := func(p []byte, off int64) {
			for _, n := range blocksum.Bad(st.ID, sums, off/blocksum.BlockBytes, p) {
				bad.Add(n, store.ErrChecksum)
			}
		}
		err = b.filePieces(ctx, path, it, from, check, fn)
	} else if err = inSource(err); b.opts.SkipDamaged && isDamage(err) {
		err = errors.Join(b.damaged(ctx, it, []check.Damage{{File: st.SumsFile(), Bytes: -1, Err: err}}), b.filePieces(ctx, path, it, from, nil, fn))
	}

	if err == nil && len(bad.Found) > 0 {
		it.Source.Root = "" // what is backed up is not what was sealed
		err = b.damaged(ctx, it, bad.Runs(st))
	}
	return err
}

// sumsPiece returns the file of checksums of a storage, verified.
func (b *backup) sumsPiece(it *backupItem, fn func(backupPiece) error) error {
	sums, err := b.store.Engine.LoadSums(it.sealed)
	if err != nil {
		return inSource(err)
	}
	all := blocksum.Encode(storefile.SumsHeader(it.storage), sums)
	for off := 0; off < len(all); off += manifest.ChunkBytes {
		p := backupPiece{off: int64(off), b: all[off:min(len(all), off+manifest.ChunkBytes)]}
		if err := fn(p); err != nil {
			return err
		}
		b.progress(p.len())
	}
	return nil
}

// openSource opens a file of the store. It checks the kind of the file first: opening a pipe would
// wait for a writer.
func (b *backup) openSource(path string) (fsx.File, error) {
	fi, err := b.store.Engine.FS.Stat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: %s: want a regular file, found %v", store.ErrMissing, path, fi.Mode())
	}
	return b.store.Engine.FS.OpenFile(path, os.O_RDONLY, 0)
}

// filePieces reads a payload from its byte from on. check sees whole blocks, so reading begins with
// the block in which from lies.
func (b *backup) filePieces(ctx context.Context, path string, it *backupItem, from int64, check func(p []byte, off int64), fn func(backupPiece) error) error {
	f, err := b.openSource(path)
	if err != nil {
		return inSource(err)
	}
	defer f.Close()

	fi, err := f.Stat()
	if err != nil {
		return inSource(err)
	}

	holes := fsx.HolesOf(f, fi.Size())
	for off := from - from%blocksum.BlockBytes; off < it.Size; {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}

		p, err := b.readPiece(f, holes, it, off)
		if err != nil {
			return err
		}

		if check != nil {
			p.eachBlock(check)
		}

		// The bytes before from were read for their block alone.
		off += p.len()
		p = p.after(from)
		if err := fn(p); err != nil {
			return err
		}
		b.progress(p.len())
	}
	return nil
}

// readPiece reads the piece of a payload that begins with the block at off. A hole is a piece of
// zeros that is not read.
func (b *backup) readPiece(f fsx.File, holes *fsx.Holes, it *backupItem, off int64) (backupPiece, error) {
	n, zeros := nextBackupPiece(holes, it.Header, off, it.Size)
	if zeros {
		return backupPiece{off: off, zeros: n}, nil
	}

	if b.buf == nil {
		b.buf = make([]byte, manifest.ChunkBytes)
	}

	p := backupPiece{off: off, b: b.buf[:n]}
	got, err := f.ReadAt(p.b, it.Header+off)
	if got == len(p.b) {
		return p, nil
	}
	if errors.Is(err, io.EOF) {
		err = store.ErrTruncated
	}
	return p, inSource(fmt.Errorf("read byte %d of %s: %w", it.Header+off+int64(got), f.Name(), err))
}

func (b *backup) progress(n int64) {
	b.done += n
	if b.opts.Progress != nil {
		b.opts.Progress(min(b.done, b.total), b.total)
	}
}
