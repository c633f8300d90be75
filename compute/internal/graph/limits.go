package graph

import (
	"errors"
	"fmt"

	"github.com/dustin/go-humanize"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Limits say what computing may take.
type Limits struct {
	Parallelism int   // workers
	MemoryLimit int64 // bytes of private and dirty memory

	// Scratch makes room for results and for what is kept between passes; nil for memory.
	Scratch func(size int64) (*mmapstore.Storage, error)
}

// mappedBytes is the size from which memory comes from the system. The heap clears memory that it
// reuses, at once, and a cancellation cannot interrupt that.
const mappedBytes = 16 << 20

// Room makes a storage of zeros.
func (l *Limits) Room(size int64) (*mmapstore.Storage, error) {
	switch {
	case l.Scratch != nil:
		return l.Scratch(size)
	case size >= mappedBytes:
		return mmapstore.WithAllocator(mmapstore.Anonymous{}, size)
	}
	return mmapstore.New(size)
}

// NewTensor makes a packed tensor of zeros, which is the caller's to close.
func (l *Limits) NewTensor(t dtype.Type, shape []int) (*view.Tensor, error) {
	layout, err := view.NewLayout(shape...)
	if err != nil {
		return nil, err
	}

	// The tensor holds a reference of its own, so that this one goes in any case.
	size := int64(layout.NumElems()) * int64(t.Size())
	st, err := l.Room(size)
	if err != nil {
		return nil, fmt.Errorf("make room for %d bytes: %w", size, err)
	}
	made, err := view.NewTensor(st, t, layout)
	if err = errors.Join(err, st.Release()); err != nil {
		if made != nil {
			err = errors.Join(err, made.Close())
		}
		return nil, err
	}
	return made, nil
}

// FormatBytes writes a size as messages have it: "1.5 MiB".
func FormatBytes(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }
