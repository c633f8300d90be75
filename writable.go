package tstore

import (
	"context"

	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/view"
)

// Writable is a tensor open for writing in place. What is stored through it changes the bytes that
// all views of the storage share, at once and without a way back. While it is open, and after a
// crash until someone has looked, its elements are marked dirty: tensors that have some of them
// open for others only on request.
//
// Any number of Writables of a storage can be open at a time, over all processes, as long as no two
// of them have an element in common. Whatever needs the whole storage (Append, Set, Fill, Seal, a
// snapshot, …) waits for them.
type Writable struct {
	*view.Tensor
	Info *Info

	in *store.Writable
}

func writableOf(w *store.Writable) *Writable {
	if w == nil {
		return nil
	}
	return &Writable{Tensor: w.Tensor, Info: infoOf(w.Info), in: w}
}

// OpenWritable opens the tensor that sel names, or part of one, for writing in place. It returns
// ErrBusy if another writer has some of its elements or the whole storage, and names the writer. It
// returns ErrReadOnly for an adopted tensor, and ErrSealed for a sealed one. Close makes the writes
// durable and clears the mark.
func (s *Store) OpenWritable(ctx context.Context, sel string) (*Writable, error) {
	r, err := s.store.OpenWritable(ctx, sel)
	return writableOf(r), err
}

// Flush makes what was stored so far durable. The storage stays marked dirty. The first failure is
// final: the store's handle stops writing.
func (w *Writable) Flush() error { return w.in.Flush() }

// Close flushes what was written, clears the dirty mark, counts the change in the version of every
// tensor that shares the bytes, and gives the right to write back. If the flush fails, the storage
// is quarantined. Close returns ErrQuarantined if the flush of another writer failed meanwhile. It
// returns ErrConflict if all names of the storage were deleted or replaced meanwhile, even if they
// were restored later: what was written went with them. It is idempotent.
func (w *Writable) Close() error { return w.in.Close() }
