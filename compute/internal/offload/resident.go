package offload

import (
	"fmt"
	"slices"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/exec"
	"github.com/tstore/tstore/compute/internal/plan"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// residentElems is what a chunk has at most if all operands are on the device. A launch of as many
// takes some milliseconds, so that a context still ends it soon.
const residentElems = 1 << 28

// packedBytes is what addresses of packed operands are multiples of. As many elements are.
const packedBytes = 16

// Pin pins the storage of t, which is on the device, and returns where it begins there. Tensors on
// other devices, and elements that are not at a multiple of their size, are errors.
func (e *Engine) Pin(t *view.Tensor) (p mmapstore.Pin, address uint64, err error) {
	p, memory, start, err := t.Storage().PinDevice()
	if err != nil {
		return mmapstore.Pin{}, 0, err
	}
	if m, ok := memory.(device.Memory); !ok || t.Storage().Place() != e.Place() {
		err = fmt.Errorf("%w: it is on %v, and %v computes; copy it with view.Copy", mmapstore.ErrPlace, t.Storage().Place(), e.Place())
	} else {
		address = m.Address() + uint64(start)
	}
	if size := uint64(t.DType().Part().Size()); address%size != 0 {
		err = fmt.Errorf("a storage of %v begins at byte %d of a block on %v: expected a multiple of %d; copy it with view.Copy", t.DType(), start, e.Place(), size)
	}
	if err != nil {
		p.Unpin()
		return mmapstore.Pin{}, 0, err
	}
	return p, address, nil
}

// isResident reports whether one of the operands is on the device, where the program reads and
// writes it.
func isResident(operands ...exec.Operand) bool {
	return slices.ContainsFunc(operands, func(o exec.Operand) bool { return o.Address != 0 })
}

// regular cuts the nest as Chunks does, in chunks that are boxes: a launch has one address and one
// stride an axis for each operand. Chunks begin at a multiple of packedBytes in an operand that is
// contiguous.
func (l *Loop) regular(elems, maxCols int) *plan.Chunks {
	whole := func(n int) int { return (n + packedBytes - 1) / packedBytes * packedBytes }
	c := l.nest.Chunks(whole(elems), elems, whole(maxCols))
	c.Regular(ptx.MaxRank)
	return c
}

// chooseResident decides how operands on the device are addressed.
func (l *Loop) chooseResident() {
	if !isResident(l.operands...) {
		return
	}
	l.layouts.Outputs = make([]ptx.Layout, len(l.operands)-l.inputs())
	for i := range l.operands {
		if !isResident(l.operands[i]) || l.isPacked(i) {
			continue
		}
		if i < l.inputs() {
			l.layouts.Inputs[i] = ptx.Strided
		} else {
			l.layouts.Outputs[i-l.inputs()] = ptx.Strided
		}
		var b plan.Box
		l.chunks.First(0, &b)
		l.layouts.Rank = len(l.chunks.Dims(0, &b))
	}
}

// isPacked reports whether an operand on the device is contiguous in each chunk, also in smaller
// ones, and begins where packed operands may.
func (l *Loop) isPacked(i int) bool {
	k := l.numbers[i]
	strides, next := l.nest.Strides[k], l.nest.ElemSizes[k]
	inner := len(strides) - 1
	if (l.operands[i].Address+uint64(l.nest.Start[k]))%packedBytes != 0 || strides[inner] != next {
		return false
	}

	// Axes inside a chunk continue each other. All others step over multiples of packedBytes.
	rows, cols, boxes := l.chunks.Box()
	if rows > 1 && cols < l.nest.Sizes[inner] {
		return false
	}
	inside := rows * boxes
	for axis := inner - 1; axis >= 0; axis-- {
		next *= l.nest.Sizes[axis+1]
		if strides[axis]%packedBytes != 0 || inside > 1 && strides[axis] != next {
			return false
		}
		inside /= max(min(inside, l.nest.Sizes[axis]), 1)
	}
	return true
}

// strideParams returns the parameters that tell a program how strided operands lie in a chunk, whose
// first box is b.
func (l *Loop) strideParams(chunk int, b *plan.Box) []uint64 {
	if l.layouts.Rank == 0 {
		return nil
	}
	dims := l.chunks.Dims(chunk, b)
	missing := l.layouts.Rank - len(dims)
	var params []uint64
	for range missing {
		params = append(params, 1)
	}
	for _, n := range dims {
		params = append(params, uint64(n))
	}

	layouts := slices.Concat(l.layouts.Inputs, l.layouts.Outputs)
	for i, of := range layouts {
		if of != ptx.Strided {
			continue
		}
		strides := l.nest.Strides[l.numbers[i]]
		for range missing {
			params = append(params, 0)
		}
		for _, s := range strides[len(strides)-len(dims):] {
			params = append(params, uint64(s))
		}
	}
	return params
}
