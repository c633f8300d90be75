package fsx

import (
	"fmt"
	"sync"
)

// DefaultChunkBytes is the unit of a StreamWriter. Pacing pays from about 2 MiB on, as smaller
// ranges don't drop the large folios of the page cache.
const DefaultChunkBytes = 8 << 20

// StreamOptions are the options of a [StreamWriter]; nil means the zero value.
type StreamOptions struct {
	ChunkBytes int              // 0: DefaultChunkBytes
	KeepCached bool             // leave written chunks in the page cache
	DropSource bool             // drop chunks read from a file from the page cache
	Progress   func(done int64) // called with the bytes of the present copy after each chunk, never twice at a time

	// Tee is called with all bytes, in pieces, and where in the file they go, before they are
	// written. It runs in each goroutine that writes, several at a time, and must not keep p.
	Tee func(p []byte, off int64)
}

// StreamWriter writes bulk output to a File from some offset on, with little memory: each chunk's
// way to the disk starts when the chunk is complete, and the writer waits for it four chunks later
// and drops it from the page cache. At most that many chunks are dirty, so the Sync that must
// follow is short, and other programs keep their cache. Chunks end at multiples of the chunk size
// in the file.
//
// Reserve the range first: a full disk shows sooner and the writing is faster.
//
// Write, ReadFrom and CopyAt write at the position, which they advance, and must not run at the
// same time. WriteChunk may, from any number of goroutines. The first error is final: all later
// calls return it, and what the file then holds is undefined. A StreamWriter owns no resources but
// memory.
type StreamWriter struct {
	file  File
	opts  StreamOptions
	pacer pacer
	pos   int64  // where the next byte goes, less what is in buf
	buf   []byte // bytes at pos that wait for their chunk to fill
	mu    struct {
		sync.Mutex
		err error
	}
}

// NewStreamWriter returns a writer to f from offset off on. The caller keeps f open, and syncs and
// closes it.
func NewStreamWriter(f File, off int64, o *StreamOptions) *StreamWriter {
	w := &StreamWriter{file: f, pos: off}
	if o != nil {
		w.opts = *o
	}
	if w.opts.ChunkBytes <= 0 {
		w.opts.ChunkBytes = DefaultChunkBytes
	}
	w.pacer = pacer{file: f, keepCached: w.opts.KeepCached}
	return w
}

// Offset returns where in the file the next byte goes.
func (w *StreamWriter) Offset() int64 { return w.pos + int64(len(w.buf)) }

// Write implements io.Writer. Bytes that don't fill a chunk wait for more of them or for Flush.
func (w *StreamWriter) Write(p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := w.write(p[done:])
		done += n
		if err != nil {
			return done, err
		}
	}
	return done, w.err()
}

// write takes the part of p that belongs to the present chunk.
func (w *StreamWriter) write(p []byte) (int, error) {
	room := w.chunkEnd(w.pos) - w.Offset()
	if int64(len(p)) > room {
		p = p[:room]
	}

	// A whole chunk needs no buffer.
	if len(w.buf) == 0 && int64(len(p)) == room {
		return accepted(p, w.put(p))
	}

	w.buf = append(w.buf, p...)
	if int64(len(p)) < room {
		return accepted(p, w.err())
	}
	return accepted(p, w.Flush())
}

func accepted(p []byte, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// Flush writes the bytes that wait for their chunk to fill. It does not make them durable; Sync of
// the file does.
func (w *StreamWriter) Flush() error {
	if len(w.buf) == 0 {
		return w.err()
	}
	err := w.put(w.buf)
	w.buf = w.buf[:0]
	return err
}

// Skip leaves n bytes as they are, which in a new file is a hole. The file only reaches behind it
// when something is written there.
func (w *StreamWriter) Skip(n int64) error {
	err := w.Flush()
	w.pos += n
	return err
}

// put writes p at the position and advances it.
func (w *StreamWriter) put(p []byte) error {
	err := w.WriteChunk(p, w.pos)
	w.pos += int64(len(p))
	return err
}

// WriteChunk writes p at offset off of the file and leaves the position where it is. Goroutines
// that produce output side by side share the writer by it. Each p should be a chunk that ends at a
// multiple of the chunk size, or has at least that size: other writes are not paced.
func (w *StreamWriter) WriteChunk(p []byte, off int64) error {
	if err := w.writeAt(p, off); err != nil {
		return err
	}
	return w.paced(span{off, int64(len(p))})
}

func (w *StreamWriter) writeAt(p []byte, off int64) error {
	if err := w.err(); err != nil {
		return err
	}
	if w.opts.Tee != nil {
		w.opts.Tee(p, off)
	}
	_, err := w.file.WriteAt(p, off)
	return w.fail(err)
}

// paced hands a written span to the pacer if it ends a chunk or is as large as one.
func (w *StreamWriter) paced(s span) error {
	end := s.off + s.n
	if s.n < int64(w.opts.ChunkBytes) && w.chunkEnd(end-1) != end {
		return nil
	}
	return w.fail(w.pacer.wrote(s))
}

// chunkEnd returns the end of the chunk that has the byte at off.
func (w *StreamWriter) chunkEnd(off int64) int64 {
	chunk := int64(w.opts.ChunkBytes)
	return (off/chunk + 1) * chunk
}

func (w *StreamWriter) err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mu.err
}

// fail keeps the first error and returns it ever after.
func (w *StreamWriter) fail(err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mu.err == nil && err != nil {
		w.mu.err = fmt.Errorf("write %q: %w", w.file.Name(), err)
	}
	return w.mu.err
}
