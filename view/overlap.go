package view

import (
	"unsafe"

	"github.com/tstore/tstore/mmapstore"
)

// Overlaps reports whether a and b have bytes in common; where that is too hard to say (see
// MayOverlap), the answer is true. Two mappings of one file are recognised by their path.
func Overlaps(a, b *Tensor) (bool, error) {
	if a.NumElems() == 0 || b.NumElems() == 0 {
		return false, nil
	}
	if !a.own.isHost() || !b.own.isHost() {
		return overlapOnDevice(a, b)
	}
	overlaps := false
	err := withBoth(a, b, func(ab, bb []byte) error {
		overlaps = !apart(
			footprintOf(a.own.st, ab, a.layout, a.dt.Size()),
			footprintOf(b.own.st, bb, b.layout, b.dt.Size()))
		return nil
	})
	return overlaps, err
}

// overlapOnDevice is Overlaps where one of the tensors is on a device.
func overlapOnDevice(a, b *Tensor) (bool, error) {
	for _, t := range []*Tensor{a, b} {
		if _, err := t.own.storage(); err != nil {
			return false, err
		}
	}
	x, y, ok := deviceFootprints(a, b, b.layout)
	return ok && !apart(x, y), nil
}

// relation is the known relation of the bytes of two operands.
type relation uint8

const (
	disjoint relation = iota // no byte in common
	same                     // each element is where its counterpart is
	shifted                  // all elements are the same distance from their counterparts
	tangled                  // anything else, or too hard to say
)

// A footprint is the elements of a layout as bytes, in coordinates that two operands can be
// compared by.
type footprint struct {
	file   string // of a mapped file; empty for addresses in memory
	base   int    // where the storage starts
	layout Layout
	size   int // bytes of an element
}

// footprintOf returns the footprint of l over st, whose pinned bytes are b. A mapped file is known
// by its path, so that two mappings of one file are seen to share their bytes.
func footprintOf(st *mmapstore.Storage, b []byte, l Layout, size int) footprint {
	f := footprint{layout: l, size: size}
	if st.Mapped() && st.Path() != "" {
		f.file, f.base = st.Path(), int(st.FileOffset())
	} else {
		f.base = int(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	}
	return f
}

// overlapOf compares two footprints that are not empty and have the same shape.
func overlapOf(a, b footprint) relation {
	if apart(a, b) {
		return disjoint
	}
	if a.size != b.size || !sameStrides(a.layout, b.layout) {
		return tangled
	}
	if a.start() == b.start() {
		return same
	}
	return shifted
}

// apart reports whether two footprints, which are not empty, surely share no byte.
func apart(a, b footprint) bool {
	return a.file != b.file || a.meets(b) == OverlapNo
}

// start returns the first byte of the element with all indexes 0.
func (f footprint) start() int { return f.base + f.layout.offset*f.size }

// bounds returns the half-open range of bytes that the elements lie in.
func (f footprint) bounds() (lo, hi int) {
	lo, hi = f.layout.Bounds()
	return f.base + lo*f.size, f.base + hi*f.size
}

// gcd returns the greatest common divisor; gcd(a, 0) is a.
func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// sameStrides reports whether two layouts of the same shape step alike.
func sameStrides(a, b Layout) bool {
	for i, x := range a.axes {
		if x.n > 1 && x.stride != b.axes[i].stride {
			return false
		}
	}
	return true
}
