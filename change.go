package tstore

import (
	"context"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/view"
)

// Append adds the elements of src at the end of the first axis of a tensor. src has the dtype of
// the tensor and its shape but for the first axis; with the first axis missing it is one more row.
//
// The elements are durable before the new length is committed. Readers keep the length they opened;
// concurrent appends of any processes follow one another, and none is lost. A sealed tensor stays
// sealed. A tensor that is not the dense whole of its storage (a view, a column-major matrix) is
// copied to a storage of its own first; one that shares a file with others leaves it, together with
// its views.
func (s *Store) Append(ctx context.Context, name string, src Source) error {
	return s.store.Append(ctx, name, src.inner())
}

// AppendAll adds the elements of one source after another, as Append does, until next returns
// io.EOF. All of them become visible in one commit: if next fails or a source does not fit, nothing
// is added. The number of sources need not be known beforehand, and memory does not grow with it.
// npy.Sequence.Next is a next.
func (s *Store) AppendAll(ctx context.Context, name string, next func() (Source, error)) error {
	return s.store.AppendAll(ctx, name, innerNext(next))
}

// Set copies src to the part of a tensor that sel names, converting elements and repeating axes as
// NumPy's assignment does. The part is a view, or ends in index arrays or a mask: "x[::2]", "x[[1,
// 5]]", "x[mask]", "x[y > 0]". All views of the storage see the change. It is atomic: after a crash
// it has happened or it has not.
func (s *Store) Set(ctx context.Context, sel string, src *view.Tensor) error {
	return s.store.Set(ctx, sel, src)
}

// Fill sets every element of the part that sel names to v, converted to the tensor's dtype. It is
// as atomic as Set.
func (s *Store) Fill(ctx context.Context, sel string, v dtype.Scalar) error {
	return s.store.Fill(ctx, sel, v)
}

// Resize gives a tensor another shape of the same rank. Elements keep their indexes; new ones are
// zero. Making the first axis shorter only changes the record and frees nothing; making it longer
// extends the file; anything else writes a new storage and swaps it in. It returns ErrSealed if the
// tensor is sealed.
func (s *Store) Resize(ctx context.Context, name string, shape ...int) error {
	return s.store.Resize(ctx, name, shape...)
}

// Grow is Resize that drops no element, whatever other writers do meanwhile. It returns ErrDrops,
// and changes nothing, if the tensor has elements outside of shape.
func (s *Store) Grow(ctx context.Context, name string, shape ...int) error {
	return s.store.Grow(ctx, name, shape...)
}

// SealOptions of Seal. Nil means the defaults.
type SealOptions struct {
	// Progress, when set, is called now and then with the bytes summed so far and all that are to
	// be. Calls do not overlap.
	Progress func(done, total int64)
}

// Seal makes a tensor immutable, and records a checksum of each 64 KiB of its storage. From then on
// Set, Fill, OpenWritable, Resize and statements that change elements return ErrSealed, and Verify
// finds bytes that have changed. The seal holds for all tensors that share the storage. Rows may
// still be appended, which extends the checksums, and the name can be renamed, replaced and
// deleted. A sealed tensor stays as it is.
//
// Adopted files can be sealed, too: the seal tells what their bytes were.
func (s *Store) Seal(ctx context.Context, name string, o *SealOptions) error {
	return s.store.Seal(ctx, name, (*store.SealOptions)(o))
}

// Unseal allows changes of the elements of a tensor, and of all others that share its storage, and
// drops their checksums. A tensor that is not sealed stays as it is.
func (s *Store) Unseal(ctx context.Context, name string) error {
	return s.store.Unseal(ctx, name)
}
