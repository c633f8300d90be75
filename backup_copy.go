package tstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
)

// eachPiece reads the payload of an item from from on, in order, and calls fn
// with pieces of up to ChunkBytes and where they lie. What is sealed is verified.
func (b *backup) eachPiece(ctx context.Context, it *backupItem, from int64, fn func(p []byte, off int64) error) error {
	switch it.kind {
	case sumsItem:
		return b.sumsPiece(it, fn)
	case imageItem:
		return b.filePieces(ctx, b.store.path(it.snapshot.File()), it, from, nil, fn)
	}
	st := it.storage
	path := b.store.path(st.File())
	if st.Seal == nil {
		return b.filePieces(ctx, path, it, from, nil, fn)
	}
	bad := &badBlocks{found: map[int64]error{}}
	sums, err := b.store.loadSums(st)
	if err == nil {
		check := func(p []byte, off int64) {
			for _, n := range blocksum.Bad(st.ID, sums, off/blocksum.BlockBytes, p) {
				bad.add(n, ErrChecksum)
			}
		}
		err = b.filePieces(ctx, path, it, from, check, fn)
	} else if err = inSource(err); b.opts.SkipDamaged && isDamage(err) {
		err = errors.Join(b.damaged(ctx, it, []Damage{{File: st.SumsFile(), Bytes: -1, Err: err}}), b.filePieces(ctx, path, it, from, nil, fn))
	}
	if err == nil && len(bad.found) > 0 {
		err = b.damaged(ctx, it, bad.runs(st))
	}
	return err
}

// sumsPiece is the file of checksums of a storage, verified.
func (b *backup) sumsPiece(it *backupItem, fn func(p []byte, off int64) error) error {
	sums, err := b.store.loadSums(it.sealed)
	if err != nil {
		return inSource(err)
	}
	all := blocksum.Encode(sumsHeader(it.storage), sums)
	for off := 0; off < len(all); off += manifest.ChunkBytes {
		p := all[off:min(len(all), off+manifest.ChunkBytes)]
		if err := fn(p, int64(off)); err != nil {
			return err
		}
		b.progress(int64(len(p)))
	}
	return nil
}

// filePieces reads a file from its payload's byte from on. check sees whole blocks.
func (b *backup) filePieces(ctx context.Context, path string, it *backupItem, from int64, check func(p []byte, off int64), fn func(p []byte, off int64) error) error {
	f, err := b.store.fs.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return inSource(err)
	}
	defer f.Close()
	if b.buf == nil {
		b.buf = make([]byte, manifest.ChunkBytes)
	}
	for off := from - from%blocksum.BlockBytes; off < it.Size; {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		p := b.buf[:min(manifest.ChunkBytes-off%manifest.ChunkBytes, it.Size-off)]
		if n, err := f.ReadAt(p, it.Header+off); n < len(p) {
			if errors.Is(err, io.EOF) {
				err = ErrTruncated
			}
			return inSource(fmt.Errorf("read byte %d of %s: %w", it.Header+off+int64(n), path, err))
		}
		if check != nil {
			check(p, off)
		}
		next := off + int64(len(p))
		if skip := from - off; skip > 0 {
			p, off = p[min(skip, int64(len(p))):], from
		}
		if err := fn(p, off); err != nil {
			return err
		}
		off = next
		b.progress(int64(len(p)))
	}
	return nil
}

func (b *backup) progress(n int64) {
	b.done += n
	if b.opts.Progress != nil {
		b.opts.Progress(min(b.done, b.total), b.total)
	}
}

// zeroBlock is what a hole reads as.
var zeroBlock [blocksum.BlockBytes]byte

// writePiece writes a piece of a payload; where the file is to be sparse, blocks
// of zeros are left out.
func writePiece(w *fsx.StreamWriter, it *manifest.File, p []byte, off int64) error {
	if !it.Sparse {
		return w.WriteChunk(p, it.Header+off)
	}
	for len(p) > 0 {
		block := p[:min(len(p), blocksum.BlockBytes)]
		if !bytes.Equal(block, zeroBlock[:len(block)]) {
			if err := w.WriteChunk(block, it.Header+off); err != nil {
				return err
			}
		}
		p, off = p[len(block):], off+int64(len(block))
	}
	return nil
}
