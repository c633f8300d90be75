package correlate

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"github.com/tstore/tstore/compute/internal/bulk"
	"github.com/tstore/tstore/dtype"
)

// A Method says how sums of products are computed.
type Method uint8

// The methods.
const (
	MethodAuto Method = iota // whichever takes less work
	MethodDirect
	MethodFourier
)

// A Convolution is sums of products of the first operand, x, and of the second one, the kernel:
// result (i, j) is the sum of x(i + k + Origin 0, j + l + Origin 1) times kernel (k, l). What has
// one axis is one row of two. It is bulk.Work, once Settle has chosen a method.
type Convolution struct {
	Name, Mode            string
	Method                Method
	DType                 dtype.Type // of the results
	Reversed              bool       // the kernel
	Conjugate, ConjugateX bool       // the kernel, or x
	Kernel, Shape, Origin [2]int     // sizes of the kernel and of the results, and where the kernel begins for the first of them
	Edge                  Edge
	Fill                  dtype.Scalar // what is beyond the edges, for EdgeFill; of no type if there are none

	tile   [2]int        // sizes of the results that are computed together by sums
	blocks fourierBlocks // where Method is MethodFourier
}

// String implements bulk.Work.
func (k *Convolution) String() string {
	text := fmt.Sprintf("%s, %q, with a kernel of %s from %v", k.Name, k.Mode, shapeText(k.Kernel[:]), k.Origin)
	if k.ConjugateX {
		text += ", of conjugates"
	}
	if k.Fill.Type().Valid() {
		text += fmt.Sprintf(", %q by %v", EdgeNames[k.Edge], k.Fill)
	}
	if k.Method == MethodFourier {
		return fmt.Sprintf("%s, by transforms of %s", text, shapeText(k.blocks.size[:]))
	}
	return fmt.Sprintf("%s, by sums, %s at a time", text, shapeText(k.tile[:]))
}

// shapeText writes a shape of one axis or two as NumPy does.
func shapeText(shape []int) string {
	if len(shape) == 1 {
		return fmt.Sprintf("(%d,)", shape[0])
	}
	return fmt.Sprintf("(%d, %d)", shape[0], shape[1])
}

// planes returns how many real numbers an element is.
func (k *Convolution) planes() int {
	if k.DType.Kind() == dtype.KindComplex {
		return 2
	}
	return 1
}

// register returns the type that the parts of elements are computed in.
func (k *Convolution) register() dtype.Type {
	switch {
	case k.isInexact():
		return dtype.Float64
	case k.DType.Size() == 8:
		return dtype.Int64
	}
	return dtype.Int32
}

// NumTaps returns the number of elements of the kernel.
func (k *Convolution) NumTaps() int { return k.Kernel[0] * k.Kernel[1] }

// Sizes of what is summed up at a time.
const (
	tileElems   = 1 << 15 // results, unless the kernel is larger
	tileColumns = 1 << 12 // of several rows
	windowElems = 1 << 20 // elements for them, if the kernel allows that
)

// Settle chooses the method and the sizes of the tiles for the operands. It returns an error if
// they do not fit in limit bytes of memory, where 0 is no limit.
func (k *Convolution) Settle(args []bulk.Array, limit int64) error {
	// For float and complex numbers, transforms are chosen if they save work and fit.
	k.settleTiles()
	if k.Method != MethodDirect && k.isInexact() {
		k.blocks = k.newBlocks()
		if k.Method == MethodAuto && k.blocks.saves(k) {
			k.Method = MethodFourier
			if !k.fits(limit) {
				k.Method = MethodDirect
			}
		}
	}

	if k.Method == MethodAuto {
		k.Method = MethodDirect
	}

	if k.fits(limit) {
		return nil
	}
	return fmt.Errorf("%s with a kernel of shape %s takes %s of memory, the limit is %s: raise it",
		k.Name, shapeText(args[1].Shape), humanize.IBytes(uint64(max(k.leastMemory(), 0))), humanize.IBytes(uint64(limit)))
}

// isInexact reports whether the results are float or complex numbers.
func (k *Convolution) isInexact() bool {
	kind := k.DType.Kind()
	return kind == dtype.KindFloat || kind == dtype.KindComplex
}

// fits reports whether there is room for one worker: how many there are must not decide on the
// method, nor on success.
func (k *Convolution) fits(limit int64) bool {
	return limit <= 0 || k.leastMemory() <= max(limit, leastWindows)
}

// leastMemory returns the memory that one worker takes.
func (k *Convolution) leastMemory() int64 { return k.Memory(nil, bulk.Room{Workers: 1}) }

// leastWindows is the memory that windows may take whatever the limit is.
const leastWindows = 8 << 20

func (k *Convolution) settleTiles() {
	columns := tileColumns
	if k.Shape[0] == 1 {
		columns = tileElems
	}
	columns = max(columns, k.Kernel[1])
	if k.Kernel[0]*(columns+k.Kernel[1]) > windowElems {
		columns = max(Stripe, windowElems/k.Kernel[0]-k.Kernel[1])
	}
	k.tile[1] = min(k.Shape[1], columns)
	wide := k.stride()
	rows := max(1, tileElems/wide, min(k.Kernel[0], windowElems/wide-k.Kernel[0]))
	k.tile[0] = min(k.Shape[0], rows)
}

// stride returns the number of elements of a row that a tile needs.
func (k *Convolution) stride() int { return k.tile[1] + k.Kernel[1] - 1 }

// planeElems returns how many elements of a plane a tile needs.
func (k *Convolution) planeElems() int {
	return (k.tile[0]+k.Kernel[0]-1)*k.stride() + Stripe
}

// Memory implements bulk.Work.
func (k *Convolution) Memory(_ []bulk.Array, room bulk.Room) int64 {
	p := int64(k.planes())
	taps := int64(k.NumTaps()) * p * (8 + p*16)
	each := 8*p*int64(k.planeElems()+k.tile[0]*k.tile[1]*2) + 4*8*MaxBlock
	if k.Method == MethodFourier {
		taps += k.blocks.sharedBytes()
		each += k.blocks.workerBytes()
	}
	return taps + int64(room.Workers)*each
}

// Run implements bulk.Work.
func (k *Convolution) Run(r *bulk.Run) error {
	switch k.register() {
	case dtype.Float64:
		return slideAll[float64](k, r)
	case dtype.Int64:
		return slideAll[int64](k, r)
	default:
		return slideAll[int32](k, r)
	}
}
