package main

import (
	"context"
	"errors"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/npy"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// isNpyPath reports whether an operand is the path of a .npy file and not a
// selector.
func isNpyPath(text string) bool { return strings.HasSuffix(text, ".npy") }

// withOperands runs fn on two tensors, each of the store or of a .npy file. A
// file whose code does not say which type it holds has that of the other
// operand.
func withOperands(ctx context.Context, s *tstore.Store, left, right string, fn func(x, y *view.Tensor) error) error {
	if isNpyPath(left) && !isNpyPath(right) {
		return withOperands(ctx, s, right, left, func(y, x *view.Tensor) error { return fn(x, y) })
	}
	return withOperand(ctx, s, left, func(x *view.Tensor) error {
		return withOperandLike(ctx, s, right, x.DType(), func(y *view.Tensor) error { return fn(x, y) })
	})
}

// withOperand runs fn on a tensor of the store or of a .npy file.
func withOperand(ctx context.Context, s *tstore.Store, text string, fn func(*view.Tensor) error) error {
	return withOperandLike(ctx, s, text, dtype.Invalid, fn)
}

// withOperandLike is withOperand with the type that a file has which does not
// say its own.
func withOperandLike(ctx context.Context, s *tstore.Store, text string, hint dtype.Type, fn func(*view.Tensor) error) error {
	if isNpyPath(text) {
		return withNpyFile(text, hint, fn)
	}
	return withTensor(ctx, s, text, nil, func(t *tstore.Tensor) error { return fn(t.Tensor) })
}

// openNpy opens a .npy file, with the type that is hinted at if it does not
// say its own.
func openNpy(path string, hint dtype.Type) (*npy.File, error) {
	f, err := npy.Open(path)
	if err == nil || !hint.Valid() {
		return f, err
	}
	if f, hinted := (npy.Options{DType: hint}).Open(path); hinted == nil {
		return f, nil
	}
	return nil, err
}

// withNpyFile runs fn on the elements of a .npy file, which is mapped. A pipe,
// or big-endian elements, are read into memory.
func withNpyFile(path string, hint dtype.Type, fn func(*view.Tensor) error) error {
	f, err := openNpy(path, hint)
	if err != nil {
		return err
	}
	where, err := f.Foreign()
	if err != nil {
		return errors.Join(withMemory(f.Source(), fn), f.Close())
	}
	if err := f.Close(); err != nil {
		return err
	}
	t, err := mapForeign(where)
	if err != nil {
		return err
	}
	return errors.Join(fn(t), t.Close())
}

// mapForeign is a tensor over elements in a file of others. The caller closes
// it.
func mapForeign(f tstore.Foreign) (*view.Tensor, error) {
	size, err := f.NumBytes()
	if err != nil {
		return nil, err
	}
	l, err := specLayout(f.Spec)
	if err != nil {
		return nil, err
	}
	m, err := mmapstore.Map(f.Path, f.Offset, size, mmapstore.ReadOnly, nil)
	if err != nil {
		return nil, err
	}
	defer m.Release()
	return view.NewTensor(m, f.DType, l)
}
