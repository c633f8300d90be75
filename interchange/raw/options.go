package raw

import (
	"errors"
	"fmt"
	"slices"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/internal/payload"
)

// Options say what the bytes of a file are.
type Options struct {
	// DType is the type of the elements. It has no default.
	DType dtype.Type
	// Shape has the length of each axis. One of them may be -1: it is computed from the size of the
	// file. Nil is one axis of all elements; empty, but not nil, is a single element.
	Shape []int
	// Offset is where the elements start, in bytes.
	Offset int64
	// Order is how the elements follow one another.
	Order tstore.Order
	// BigEndian says that each element, or part of a complex one, has its highest byte first.
	BigEndian bool
	// AllowTrailing accepts bytes behind the elements, which are not read.
	AllowTrailing bool
}

// unknownSize is the size of a stream.
const unknownSize = -1

// spec describes the elements in a file of fileBytes, and counts their bytes.
func (o Options) spec(fileBytes int64) (tstore.Spec, int64, error) {
	sp := tstore.Spec{DType: o.DType, Order: o.Order, Shape: slices.Clone(o.Shape)}
	if o.Shape == nil {
		sp.Shape = []int{-1}
	}

	known := fileBytes != unknownSize
	if !o.DType.Valid() {
		return sp, 0, errors.New("no dtype given: raw files do not name theirs")
	}
	if o.Offset < 0 || known && o.Offset > fileBytes {
		return sp, 0, fmt.Errorf("offset %d is negative or beyond the end of the file", o.Offset)
	}

	have := fileBytes - o.Offset
	if err := resolve(&sp, have, known); err != nil {
		return sp, 0, err
	}

	need, err := sp.NumBytes()
	switch {
	case err != nil || !known:
	case have < need:
		err = fmt.Errorf("shape %v of %v needs %d bytes from byte %d on, the file has %d there", sp.Shape, sp.DType, need, o.Offset, have)
	case have > need && !o.AllowTrailing:
		err = fmt.Errorf("shape %v of %v needs %d bytes from byte %d on, the file has %d there: %w", sp.Shape, sp.DType, need, o.Offset, have, payload.TrailingError(have-need, false))
	}

	return sp, need, err
}

// resolve computes the axis of length -1, if there is one, for elements of have bytes.
func resolve(sp *tstore.Spec, have int64, known bool) error {
	open := slices.Index(sp.Shape, -1)
	if open < 0 {
		return nil
	}
	if slices.Contains(sp.Shape[open+1:], -1) {
		return fmt.Errorf("shape %v: only one axis can be -1", sp.Shape)
	}
	if !known {
		return fmt.Errorf("shape %v: the size of a stream is not known, so no axis can be -1", sp.Shape)
	}

	// Let the open axis be 1 to count the bytes of one step along it.
	sp.Shape[open] = 1
	row, err := sp.NumBytes()
	sp.Shape[open] = -1
	switch {
	case err != nil:
		return err
	case row == 0:
		return fmt.Errorf("shape %v: the axis of -1 could have any length, because another axis has size 0", sp.Shape)
	case have%row != 0:
		return fmt.Errorf("shape %v of %v: %d bytes are not a multiple of %d bytes", sp.Shape, sp.DType, have, row)
	}

	sp.Shape[open] = int(have / row)
	return nil
}
