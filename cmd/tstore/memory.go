package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// maxHeld is the greatest number of bytes that withMemory reads into memory.
const maxHeld = 1 << 30

// withMemory runs fn on elements that can't be mapped where they are, such as those of a stream.
func withMemory(src tstore.Source, fn func(*view.Tensor) error) error {
	size, err := src.NumBytes()
	if err != nil {
		return err
	}

	if size > maxHeld {
		return fmt.Errorf("%s are more than the %s that are held in memory: import them, and use the tensor", formatBytes(size), formatBytes(maxHeld))
	}

	l, err := specLayout(src.Spec)
	if err != nil {
		return err
	}

	m, err := mmapstore.New(size)
	if err != nil {
		return err
	}
	defer m.Release()
	if _, err := io.Copy(io.NewOffsetWriter(m, 0), src.Data); err != nil {
		return err
	}

	t, err := view.NewTensor(m, src.DType, l)
	if err != nil {
		return err
	}

	return errors.Join(fn(t), t.Close())
}

// specLayout returns the layout of elements in a file of their own.
func specLayout(sp tstore.Spec) (view.Layout, error) {
	if sp.Order == tstore.ColumnMajor {
		return view.NewFortranLayout(sp.Shape...)
	}
	return view.NewLayout(sp.Shape...)
}
