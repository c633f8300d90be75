package model

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// value is an array in memory: what a tensor shows. All elements are whole numbers that each type
// can hold.
type value struct {
	dtype string
	shape []int
	elems []int64 // in C order
}

// sum tells values apart.
func (v value) sum() uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, v.dtype, v.shape)
	_ = binary.Write(h, binary.LittleEndian, v.elems)
	return h.Sum64()
}

func (v value) equal(w value) bool {
	return v.dtype == w.dtype && slices.Equal(v.shape, w.shape) && slices.Equal(v.elems, w.elems)
}

// String shows the first elements.
func (v value) String() string {
	if len(v.elems) > 24 {
		return fmt.Sprintf("%s%v %v…", v.dtype, v.shape, v.elems[:24])
	}
	return fmt.Sprintf("%s%v %v", v.dtype, v.shape, v.elems)
}

// counting is an array that counts up from first, beginning again after each thousand.
func counting(dt string, shape []int, first int64) value {
	v := value{dtype: dt, shape: shape, elems: make([]int64, count(shape))}
	for i := range v.elems {
		v.elems[i] = first + int64(i%1000)
	}
	return v
}

// constant is an array of one value.
func constant(dt string, shape []int, x int64) value {
	return value{dtype: dt, shape: shape, elems: slices.Repeat([]int64{x}, count(shape))}
}

func dtypeOf(name string) dtype.Type {
	t, err := dtype.Parse(name)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	return t
}

// bytes are the elements as they are in a file, in C or in Fortran order.
func (v value) bytes(fortran bool) []byte {
	elems := v.elems
	if _, at, _ := turned(v.shape); fortran {
		elems = make([]int64, 0, len(at))
		for _, i := range at {
			elems = append(elems, v.elems[i])
		}
	}
	var out []byte
	for _, e := range elems {
		switch v.dtype {
		case "int32":
			out = binary.LittleEndian.AppendUint32(out, uint32(int32(e)))
		case "int64":
			out = binary.LittleEndian.AppendUint64(out, uint64(e))
		default:
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(float64(e)))
		}
	}
	return out
}

// source is what a store reads the array from.
func (v value) source(fortran bool) tstore.Source {
	sp := tstore.Spec{DType: dtypeOf(v.dtype), Shape: v.shape}
	if fortran {
		sp.Order = tstore.ColumnMajor
	}
	return tstore.Source{Spec: sp, Data: bytes.NewReader(v.bytes(fortran))}
}

// tensor is the array as a tensor in memory.
func (v value) tensor() (*view.Tensor, error) {
	t, err := view.FromSlice(v.elems, v.shape...)
	if len(v.shape) == 0 {
		t, err = view.FromSlice(v.elems, 1)
		if err == nil {
			t, err = t.Reshape()
		}
	}
	return t, err
}

// read returns what a tensor of the store shows.
func read(t *view.Tensor) (value, error) {
	v := value{dtype: t.DType().String(), shape: slices.Clone(t.Shape())}
	if !slices.Contains(dtypes, v.dtype) {
		return v, fmt.Errorf("it has elements of type %s, as no tensor has", v.dtype)
	}
	size := t.DType().Size()
	err := t.Blocks(1<<16, func(b []byte) error {
		for ; len(b) > 0; b = b[size:] {
			v.elems = append(v.elems, element(v.dtype, b))
		}
		return nil
	})
	return v, err
}

func element(dt string, b []byte) int64 {
	switch dt {
	case "int32":
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case "int64":
		return int64(binary.LittleEndian.Uint64(b))
	case "float64":
		return int64(math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	panic("BUG: elements of type " + dt)
}
