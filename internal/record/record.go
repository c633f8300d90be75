package record

import (
	"fmt"
	"math"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// FirstVersion is the version of a tensor whose name was free.
const FirstVersion = 1

// New returns the record of a new tensor over a storage.
func New(id catalog.ID, t dtype.Type, l view.Layout) catalog.Record {
	now := time.Now().UTC()
	return catalog.Record{
		Kind: catalog.KindTensor, Storage: id, DType: t,
		Shape: Int64s(l.Shape()), Strides: Int64s(l.Strides()), Offset: int64(l.Offset()),
		Version: FirstVersion, Created: now, Modified: now,
	}
}

// Layout returns the geometry of a record, checked as input that may be hostile.
func Layout(r catalog.Record) (view.Layout, error) {
	var room [16]int // enough for most
	rank := len(r.Shape)
	all, err := appendInts(room[:0], r.Shape, r.Strides, []int64{r.Offset})
	if err != nil {
		return view.Layout{}, err
	}
	l, err := view.MakeLayout(all[:rank], all[rank:len(all)-1], all[len(all)-1])
	if err != nil {
		return l, fmt.Errorf("%w: record of %q: %v", catalog.ErrCorrupt, r.Name, err)
	}
	return l, nil
}

// Version returns the version that a record and its storage show.
func Version(rec *catalog.Record, st *catalog.Storage) uint64 { return rec.Version + Changes(rec, st) }

// Changes counts the changes of a record's elements in its storage.
func Changes(rec *catalog.Record, st *catalog.Storage) uint64 {
	if len(st.Spans) == 0 {
		return st.Changes
	}
	l, err := Layout(*rec)
	if err != nil {
		return st.Changes
	}
	lo, hi := l.Bounds()
	size := int64(rec.DType.Size())
	return st.ChangesWithin(int64(lo)*size, int64(hi)*size)
}

// SetLayout gives a record another geometry.
func SetLayout(r *catalog.Record, l view.Layout) {
	r.Shape, r.Strides, r.Offset = Int64s(l.Shape()), Int64s(l.Strides()), int64(l.Offset())
}

// CoversWhole reports whether the record is the dense, C-ordered whole of its storage: the kind of
// tensor that can grow at the end of its file.
func CoversWhole(r catalog.Record, l view.Layout, st catalog.Storage) bool {
	return l.Offset() == 0 && l.IsContiguous() && int64(l.NumElems())*int64(r.DType.Size()) == st.PayloadBytes
}

// Int64s returns a shape, or strides, as records have it.
func Int64s(v []int) []int64 {
	out := make([]int64, len(v))
	for i, n := range v {
		out[i] = int64(n)
	}
	return out
}

// Ints returns a shape, or strides, of a record. An error says that a number is too large for this
// machine.
func Ints(v []int64) ([]int, error) { return appendInts(make([]int, 0, len(v)), v) }

func appendInts(to []int, lists ...[]int64) ([]int, error) {
	for _, v := range lists {
		for _, n := range v {
			if n > math.MaxInt || n < math.MinInt {
				return nil, fmt.Errorf("%d does not fit this machine's integers", n)
			}
			to = append(to, int(n))
		}
	}
	return to, nil
}

// Bytes returns the first byte of a record's elements in the payload, and the end of the last.
func Bytes(rec catalog.Record) (first, end int64, err error) {
	l, err := Layout(rec)
	if err != nil {
		return 0, 0, err
	}
	lo, hi := l.Bounds()
	size := int64(rec.DType.Size())
	return int64(lo) * size, int64(hi) * size, nil
}
