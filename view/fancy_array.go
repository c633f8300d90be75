package view

import (
	"context"
	"math"
	"unsafe"

	"github.com/tstore/tstore/dtype"
)

// An indexArray is the elements of an array in an index, read as ints in pieces: those of a tensor,
// or a list.
type indexArray struct {
	own    *owner // nil for a list
	list   []int
	dt     dtype.Type
	layout Layout
}

// arrayOf returns the elements of an item.
func arrayOf(it *FancyItem) indexArray {
	if it.t != nil {
		return arrayOfTensor(it.t)
	}
	return indexArray{list: it.values, dt: dtype.Int64, layout: packedLayout(it.shape)}
}

func arrayOfTensor(t *Tensor) indexArray {
	return indexArray{own: t.own, dt: t.dt, layout: t.layout}
}

func arrayOfList(list []int) indexArray {
	return indexArray{list: list, dt: dtype.Int64, layout: packedLayout([]int{len(list)})}
}

// packedLayout returns the C-order layout of a shape whose elements exist.
func packedLayout(shape []int) Layout {
	l, err := NewLayout(shape...)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return l
}

// rank returns the number of axes of the item's array.
func (it *FancyItem) rank() int {
	if it.t != nil {
		return it.t.Rank()
	}
	return len(it.shape)
}

// with calls fn with the bytes that the layout's positions count in.
func (a *indexArray) with(fn func(b []byte) error) error {
	if a.own == nil {
		return fn(intBytes(a.list))
	}
	return a.own.with(fn)
}

// intBytes returns the memory of v, which has the form of dtype.Int64.
func intBytes(v []int) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*8)
}

// An arrayReader reads an indexArray from the first element to the last.
type arrayReader struct {
	array *indexArray
	seq   sequence
	buf   []byte
	next  int
}

// arrayChunk is the most elements that are read from an array at a time.
const arrayChunk = 8 << 10

func newArrayReader(a *indexArray) arrayReader {
	seq := newSequence(a.layout, a.dt.Size())
	return arrayReader{array: a, seq: seq, buf: seq.buffer(arrayChunk)}
}

// read fills out, of at most arrayChunk elements, with the next elements. An unsigned number beyond
// the range of int becomes the largest int.
func (r *arrayReader) read(ctx context.Context, out []int) error {
	if err := ctx.Err(); err != nil {
		return err
	}

	err := r.array.with(func(b []byte) error {
		raw := r.seq.fetch(r.buf, b, r.next, len(out))
		dtype.Convert(intBytes(out), dtype.Int64, raw, r.array.dt)
		return nil
	})

	r.next += len(out)

	// Convert wraps numbers from 2⁶³ on to negative ones.
	if r.array.dt == dtype.Uint64 {
		for i, v := range out {
			if v < 0 {
				out[i] = math.MaxInt
			}
		}
	}

	return err
}

// readBools fills out, of at most arrayChunk elements, with whether the next elements are other
// than 0, as 0 and 1.
func (r *arrayReader) readBools(ctx context.Context, out []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := r.array.with(func(b []byte) error {
		raw := r.seq.fetch(r.buf, b, r.next, len(out))
		dtype.Convert(out, dtype.Bool, raw, r.array.dt)
		return nil
	})
	r.next += len(out)
	return err
}
