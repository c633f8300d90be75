package compute

import (
	"io"

	"github.com/tstore/tstore/compute/internal/generate"
	"github.com/tstore/tstore/dtype"
)

// A Generator is a row of elements that are computed instead of stored. Element i always has the
// same value, so several goroutines may fill one tensor from it by ReadAt. Read goes on from where
// it stopped and belongs to one goroutine. Elements are packed and little endian, as they are in a
// storage.
type Generator struct{ row *generate.Row }

// generatorOf returns a generator, or an error.
func generatorOf(r *generate.Row, err error) (*Generator, error) {
	if err != nil {
		return nil, err
	}
	return &Generator{r}, nil
}

// Arange generates the n elements start, start+step, start+2·step, … of type t.
//
// For integers and bool they are exact, and a start, step or last element that t can't hold is an
// error that is [dtype.ErrRange]. For floats each is start + i·step computed in float64 (for
// complex numbers, in each part) and rounded once to t, so errors do not add up; NumPy's arange
// computes in t instead. A last element beyond the range of a float is an error, too.
//
// start and step may be of any type that has the values, such as an int64 step of -1 for uint8
// elements.
func Arange(t dtype.Type, start, step dtype.Scalar, n int) (*Generator, error) {
	return generatorOf(generate.Arange(t, start, step, n))
}

// Linspace generates n numbers at equal distances from start to stop. The last one is stop itself
// if endpoint is set. It is numpy.linspace, and computes in float64 as that does. Numbers of
// integer types are rounded towards minus infinity.
func Linspace(t dtype.Type, start, stop float64, n int, endpoint bool) (*Generator, error) {
	return generatorOf(generate.Linspace(t, start, stop, n, endpoint))
}

// Random generates random elements of type t without end. Integers are uniform over the whole range
// of t, a bool is a fair coin, and floats are uniform in [0, 1): multiples of 2⁻ᵖ, where p is the
// number of bits in the mantissa of t. Both parts of a complex number are such floats.
//
// The numbers are those of the counter-based generator Philox4x64-10 (Salmon et al., "Parallel
// Random Numbers: As Easy as 1, 2, 3", SC 2011), which makes element i without those before it.
// They depend on t, seed and i only, and stay the same in all versions. Unsigned integers, float32
// and float64 are those of NumPy's Generator(Philox(key=seed)), signed integers are the same bits.
// They are not for cryptography.
func Random(t dtype.Type, seed uint64) (*Generator, error) {
	return generatorOf(generate.Random(t, seed))
}

// Constant generates the value v, converted to t as [dtype.Convert] does, without end.
func Constant(t dtype.Type, v dtype.Scalar) (*Generator, error) {
	return generatorOf(generate.Constant(t, v))
}

// DType is the type of the elements.
func (g *Generator) DType() dtype.Type { return g.row.DType() }

// NumElems returns the number of elements: the number given to [Arange] or Linspace, otherwise as
// many as can be addressed.
func (g *Generator) NumElems() int64 { return g.row.NumElems() }

// Read implements io.Reader.
func (g *Generator) Read(p []byte) (int, error) { return g.row.Read(p) }

// ReadAt implements io.ReaderAt; off is in bytes.
func (g *Generator) ReadAt(p []byte, off int64) (int, error) { return g.row.ReadAt(p, off) }

// Take reads the first n elements, or all of them if there are fewer.
func (g *Generator) Take(n int) *io.SectionReader { return g.row.Take(n) }
