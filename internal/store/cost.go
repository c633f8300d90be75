package store

import (
	"context"

	"github.com/tstore/tstore/internal/storefile"
)

// Cost is what a change of elements does to the disk, at most: holes of sparse files take less.
type Cost struct {
	Written int64
	Freed   int64
}

// ChangeCost returns what Set or Fill of the part that i describes costs: little in place, while
// the part is few bytes, else a new file of the whole storage.
func (i *Info) ChangeCost() Cost {
	if c, err := i.smallChange(context.Background(), nil); err == nil && c != nil {
		return Cost{Written: c.numBytes()}
	}
	n := i.Storage.HeaderBytes + i.Storage.PayloadBytes
	return Cost{Written: n, Freed: n}
}

// spanBytes returns the number of bytes from the first element of the part to the end of its last.
func (i *Info) spanBytes() int64 {
	lo, hi := i.Layout.Bounds()
	return int64(hi-lo) * int64(i.DType.Size())
}

// ResizeCost returns what Resize of the tensor to shape costs.
func (i *Info) ResizeCost(shape ...int) (Cost, error) {
	way, err := i.resizeWay(shape)
	if err != nil {
		return Cost{}, err
	}

	after, err := (Spec{DType: i.Record.DType, Shape: shape}).NumBytes()
	if err != nil || way == resizeNarrows {
		return Cost{}, err
	}

	if way == resizeExtends {
		return Cost{Written: after - i.Storage.PayloadBytes}, nil
	}

	// All other ways write a new file. The old one is freed only if nothing else needs it.
	c := Cost{Written: storefile.HeaderBytes + after}
	if i.Storage.Refs == 1 && !i.Storage.Adopted {
		c.Freed = i.Storage.HeaderBytes + i.Storage.PayloadBytes
	}
	return c, nil
}
