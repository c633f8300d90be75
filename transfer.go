package tstore

import (
	"context"
	"io"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/work"
)

// File returns the path of a .npy file that is exactly the tensor that sel names: numpy.load of it
// gives that tensor's dtype (bfloat16 and float8 as bytes without a meaning, as NumPy has no word
// for them), shape and elements. The file is the tensor's storage, not a copy: it is to be read
// only, and it is that tensor as long as nobody changes, replaces or deletes it.
//
// ErrNoFile says why there is none and what to do.
func (s *Store) File(ctx context.Context, sel string) (string, error) {
	return s.store.File(ctx, sel)
}

// OwnFile is File for a tensor that may have no file of its own: OwnFile gives it one first. A
// small tensor leaves the file that it shares with others, and takes its views along. Any other
// tensor is copied, in C order. OwnFile returns ErrNoFile if other names have elements of it,
// because they would share them no more.
func (s *Store) OwnFile(ctx context.Context, name string) (string, error) {
	return s.store.OwnFile(ctx, name)
}

// ImportOptions of Import. Nil means the defaults.
type ImportOptions struct {
	// Overwrite replaces a tensor that has the name already.
	Overwrite bool
	// NoSeal leaves what Import makes open for changes of its elements. By default it is sealed;
	// see Store.Seal. Copies are never sealed.
	NoSeal bool
	// Eval says how Copy computes what is no view, such as a lazy name. Its Compute.Progress also
	// counts the bytes of other copies.
	Eval *EvalOptions
	// Journal says whether Import and Copy are jobs.
	Journal Journal
}

func (o *ImportOptions) inner() *work.ImportOptions {
	if o == nil {
		return nil
	}
	return &work.ImportOptions{Overwrite: o.Overwrite, NoSeal: o.NoSeal, Eval: o.Eval.inner(), Journal: work.Journal(o.Journal)}
}

// Import makes a tensor of a Source, such as npy.Open or raw.Open return. It streams in constant
// memory and is atomic: an interrupted import leaves nothing visible. The tensor is sealed: its
// checksums are made as the elements stream by, and elements change only once it is unsealed.
func (s *Store) Import(ctx context.Context, name string, src Source, o *ImportOptions) error {
	return s.work().Import(ctx, name, src.inner(), o.inner())
}

// ImportRows makes a tensor of the rows that next yields until io.EOF, one Source after another, as
// AppendAll takes them. How many there are need not be known, and memory does not grow with them.
// sp describes the tensor; the length of its first axis is not looked at. It is as atomic as
// Import, and never a job. raw.Rows.Next and npy.Sequence.Next are a next.
func (s *Store) ImportRows(ctx context.Context, name string, sp Spec, next func() (Source, error), o *ImportOptions) error {
	return s.work().ImportRows(ctx, name, sp.inner(), innerNext(next), o.inner())
}

// innerNext is next in terms of package store.
func innerNext(next func() (Source, error)) func() (store.Source, error) {
	return func() (store.Source, error) {
		src, err := next()
		return src.inner(), err
	}
}

// Encoder writes elements in some format, such as npy.Encode.
type Encoder func(ctx context.Context, w io.Writer, x compute.Elements) error

// Export writes what sel selects to w. It streams in constant memory, as Read does.
func (s *Store) Export(ctx context.Context, sel string, w io.Writer, encode Encoder) error {
	return s.work().Export(ctx, sel, w, work.Encoder(encode))
}

// Copy makes a new tensor of what sel selects, in C order in a storage of its own. It has the
// attributes and axis names of the original. The copy of a lazy name, or of an expression, holds
// what it evaluates to now.
func (s *Store) Copy(ctx context.Context, name, sel string, o *ImportOptions) error {
	return s.work().Copy(ctx, name, sel, o.inner())
}
