package tstore

import (
	"context"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/view"
)

// Info describes a named tensor without touching its elements. The entry of the catalog is shared:
// don't change it. That of a tensor that has no name is empty.
type Info struct {
	*catalog.Entry
	// Selector is the part that was asked for.
	Selector Selector
	// Layout is the geometry of that part, in elements of the storage.
	Layout view.Layout
	// DType is the type of the part's elements: the tensor's, unless the selector reads them as
	// another ("x.real", "x.view(int16)").
	DType dtype.Type
	// Copied is true if Evaluate copied or computed the part. Layout is then that of the result,
	// which lies in no storage of the store.
	Copied bool
	// dims are the axis names of a computed result.
	dims []string
}

func infoOf(i *store.Info) *Info {
	if i == nil {
		return nil
	}
	info := toInfo(i)
	return &info
}

func toInfo(i *store.Info) Info {
	return Info{Entry: i.Entry, Selector: Selector(i.Selector), Layout: i.Layout, DType: i.DType, Copied: i.Copied, dims: i.AxisNames}
}

func (i *Info) inner() *store.Info {
	return &store.Info{Entry: i.Entry, Selector: store.Selector(i.Selector), Layout: i.Layout, DType: i.DType, Copied: i.Copied, AxisNames: i.dims}
}

// Version grows with every committed change of the tensor: of its record, and of the bytes of its
// storage between its first and its last element. It may grow with a change of other bytes that
// shares the storage, but seldom does.
func (i *Info) Version() uint64 { return i.inner().Version() }

// Modified returns the time of the last change of the record.
func (i *Info) Modified() time.Time { return i.inner().Modified() }

// Stat describes the tensor that sel names, or part of one: what Get opens.
func (s *Store) Stat(ctx context.Context, sel string) (*Info, error) {
	r, err := s.store.Stat(ctx, sel)
	return infoOf(r), err
}

// StatTarget describes the part of a tensor that Set and Fill of sel change: what Stat describes,
// or where sel ends in index arrays or a mask, stored or computed ("x[y > 0]"), the part of which
// they pick elements.
func (s *Store) StatTarget(ctx context.Context, sel string) (*Info, error) {
	r, err := s.store.StatTarget(ctx, sel)
	return infoOf(r), err
}

// Cost is what a change of elements does to the disk, at most: holes of sparse files take less.
type Cost struct {
	// Written are the bytes that are written. Those of a file that is copied count, though some
	// file systems share them.
	Written int64
	// Freed are the bytes of the file that a new one replaces.
	Freed int64
}

// ChangeCost returns what Set or Fill of the part that i describes costs: little in place, while
// the part is few bytes, else a new file of the whole storage. Changes of elements that index
// arrays or a mask pick of the part may cost less.
func (i *Info) ChangeCost() Cost { return Cost(i.inner().ChangeCost()) }

// ResizeCost returns what Resize of the tensor to shape costs. It returns the error of Resize for a
// shape that Resize refuses.
func (i *Info) ResizeCost(shape ...int) (Cost, error) {
	r, err := i.inner().ResizeCost(shape...)
	return Cost(r), err
}

// Dims returns the axis names of the selected part, or nil.
func (i *Info) Dims() []string { return i.inner().Dims() }
