package store

import (
	"slices"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/view"
)

// asWriter describes that info's part is written in place.
func (i *Info) asWriter(key int64, since time.Time) catalog.Writer {
	w := catalog.Writer{Key: key, Who: engine.WriterName(), Part: i.partText(), Since: since}
	w.First, w.End = i.Bytes()
	if !i.Layout.IsDense() {
		w.Item, w.Offset = int64(i.DType.Size()), int64(i.Layout.Offset())
		for axis := range i.Layout.Rank() {
			w.Shape = append(w.Shape, int64(i.Layout.Dim(axis)))
			w.Strides = append(w.Strides, int64(i.Layout.Stride(axis)))
		}
	}
	return w
}

// partText returns the selector of the part, or the name where that is too long.
func (i *Info) partText() string {
	text := i.Selector.String()
	if len(text) > catalog.MaxTextBytes {
		return i.Record.Name
	}
	return text
}

// WritersOf returns those writers of a storage that have, or may have, bytes of the part.
func (i *Info) WritersOf(all []catalog.Writer) []catalog.Writer {
	return slices.DeleteFunc(slices.Clone(all), func(w catalog.Writer) bool { return !i.Meets(w) })
}

// Meets reports whether the part and that of a writer have a byte in common, or may have one.
func (i *Info) Meets(w catalog.Writer) bool {
	if first, end := i.Bytes(); end <= w.First || w.End <= first {
		return false
	}
	l, size, err := engine.WriterLayout(w)
	return err != nil || view.MayOverlap(i.Layout, i.DType.Size(), l, size) != view.OverlapNo
}
