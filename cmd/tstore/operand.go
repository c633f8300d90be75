package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/interchange/npy"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// isNpyPath reports whether an operand is the path of a .npy file by its ending, whatever names the
// store has.
func isNpyPath(text string) bool { return strings.HasSuffix(text, ".npy") }

// isFile reports whether an operand is the path of a file, and neither a selector nor an
// expression: it ends in .npy, or it is no name of the store, and there is such a file. Reading
// that says what is wrong with it.
func isFile(ctx context.Context, s *tstore.Store, text string) bool {
	if isNpyPath(text) || s == nil {
		return true
	}
	if _, err := os.Stat(text); err != nil {
		return false
	}
	sel, err := tstore.ParseSelector(text)
	if err == nil {
		_, err = s.Lookup(ctx, sel.Name)
		return errors.Is(err, tstore.ErrNotFound)
	}
	return true
}

// withOperands runs fn on the elements of two selectors, expressions or .npy files, which are read
// from front to back. A file whose code does not say which type it holds has that of the other
// operand. It returns ErrConflict if operands from the store were not read in one state of it. how
// says how to compute.
func (a *app) withOperands(ctx context.Context, s *tstore.Store, left, right string, o npy.Options, how tstore.EvalOptions, fn func(x, y compute.Elements) error) error {
	if isFile(ctx, s, left) && !isFile(ctx, s, right) {
		return a.withOperands(ctx, s, right, left, o, how, func(y, x compute.Elements) error { return fn(x, y) })
	}

	return a.withOperand(ctx, s, left, o, how, func(x compute.Elements, first ...tstore.Opened) error {
		// The first operand decides the type of a file that does not tell its own.
		o.DType = x.DType()
		if _, computed := x.(*compute.Stream); computed {
			how.Compute.Progress = nil // both are read at once: one of them tells how far
		}

		return a.withOperand(ctx, s, right, o, how, func(y compute.Elements, second ...tstore.Opened) error {
			err := fn(x, y)
			if opened := append(first, second...); (err == nil || errors.Is(err, errFound)) && len(opened) > 0 {
				err = errors.Join(s.OneState(ctx, opened...), err)
			}
			return err
		})
	})
}

// withOperand runs fn on the elements of a selector or an expression, with what has them open, or
// of a .npy file. The type in o is that of a file which does not say its own.
func (a *app) withOperand(ctx context.Context, s *tstore.Store, text string, o npy.Options, how tstore.EvalOptions, fn func(compute.Elements, ...tstore.Opened) error) error {
	if isFile(ctx, s, text) {
		return a.withNpyFile(ctx, text, o, func(t *view.Tensor) error { return fn(t) })
	}
	return a.withReading(ctx, s, text, &how, func(r *tstore.Reading) error { return fn(r.Elements, r) })
}

// withNpyFile runs fn on the elements of a .npy file, which is mapped. A pipe, or big-endian
// elements, are read into memory.
func (a *app) withNpyFile(ctx context.Context, path string, o npy.Options, fn func(*view.Tensor) error) error {
	f, err := a.openHinted(ctx, path, o)
	if err != nil {
		return err
	}

	where, err := f.Foreign()
	if err != nil {
		return errors.Join(withMemory(f.Source(), fn), f.Close())
	}

	// The mapping has a descriptor of its own.
	if err := f.Close(); err != nil {
		return err
	}

	t, err := mapForeign(where)
	if err != nil {
		return err
	}

	return errors.Join(fn(t), t.Close())
}

// mapForeign is a tensor over elements in a file of others. The caller closes it.
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
