package ptx

import (
	"fmt"
	"strconv"

	"github.com/tstore/tstore/dtype"
)

// A Layout says where an operand has its element i.
type Layout uint8

const (
	// Packed elements follow each other.
	Packed Layout = iota
	// PerColumn is element i % cols of a packed row.
	PerColumn
	// PerRow is element i / cols of a packed column.
	PerRow
	// Strided elements lie at the sum of their coordinates times strides. The coordinates are those
	// of i in C order.
	Strided
)

// MaxRank is the largest Rank.
const MaxRank = 8

// Layouts are those of all operands of a program. Addresses of operands that are not packed are
// multiples of the size of a part of their elements.
type Layouts struct {
	Inputs  []Layout // nil if all are packed
	Outputs []Layout // nil if all are packed; they are packed or strided
	Rank    int      // the number of coordinates, from 1 on if an operand is strided
	Rows    int      // in a FoldKernel, how many of them are those of rows; see FoldKernel
}

// input returns the layout of an input.
func (l *Layouts) input(k int) Layout {
	if l == nil || l.Inputs == nil {
		return Packed
	}
	return l.Inputs[k]
}

func (l *Layouts) output(k int) Layout {
	if l == nil || l.Outputs == nil {
		return Packed
	}
	return l.Outputs[k]
}

// Numbered reports whether a Kernel for l has the parameter cols.
func (l *Layouts) Numbered() bool { return l.has(PerColumn, PerRow) }

// has reports whether an operand has one of some layouts.
func (l *Layouts) has(layouts ...Layout) bool {
	if l == nil {
		return false
	}
	for _, of := range append(append([]Layout{}, l.Inputs...), l.Outputs...) {
		for _, want := range layouts {
			if of == want {
				return true
			}
		}
	}
	return false
}

// check refuses layouts that make no sense.
func (l *Layouts) check(inputs, outputs int) {
	if l == nil {
		return
	}
	switch {
	case l.Inputs != nil && len(l.Inputs) != inputs, l.Outputs != nil && len(l.Outputs) != outputs:
		refuse("%d and %d layouts of %d inputs and %d outputs", len(l.Inputs), len(l.Outputs), inputs, outputs)
	case l.has(Strided) && (l.Rank < 1 || l.Rank > MaxRank || l.Rows >= l.Rank):
		refuse("operands with %d strides", l.Rank)
	}
	for _, of := range l.Outputs {
		if of != Packed && of != Strided {
			refuse("outputs of which several elements are one")
		}
	}
}

// layoutParameters declares the parameters that layouts need.
func (c *compiler) layoutParameters() (all []string) {
	if c.layouts.Numbered() {
		all = append(all, "cols")
	}
	if !c.layouts.has(Strided) {
		return all
	}
	for axis := range c.layouts.Rank {
		all = append(all, fmt.Sprintf("dim%d", axis))
	}
	for k := range c.program.Inputs {
		if c.layouts.input(k) == Strided {
			all = append(all, c.strideParameters(fmt.Sprintf("in%d", k))...)
		}
	}
	for k := range c.program.Outputs {
		if c.layouts.output(k) == Strided {
			all = append(all, c.strideParameters(fmt.Sprintf("out%d", k))...)
		}
	}
	return all
}

// strideParameters are the strides of an operand.
func (c *compiler) strideParameters(operand string) (all []string) {
	for axis := range c.layouts.Rank {
		all = append(all, fmt.Sprintf("%s_stride%d", operand, axis))
	}
	return all
}

// places emits where the elements of a thread are by their numbers: their columns, their rows and
// their coordinates, as far as layouts need them.
func (c *compiler) places(first string) {
	c.elementPlaces = nil
	narrow := func(param string) string {
		return c.emit("b32", "cvt.u32.u64", c.emit("b64", "ld.param.b64", "["+param+"]"))
	}
	cols := ""
	if c.layouts.Numbered() {
		cols = narrow("cols")
	}
	var dims []string
	if c.layouts.has(Strided) {
		for axis := range c.layouts.Rank {
			dims = append(dims, narrow("dim"+strconv.Itoa(axis)))
		}
	}
	if cols == "" && dims == nil {
		return
	}

	number := c.emit("b32", "cvt.u32.u64", first)
	for i := range c.perThread {
		at := number
		if i > 0 {
			at = c.emit("b32", "add.u32", number, strconv.Itoa(i))
		}
		p := place{}
		if cols != "" {
			p.column, p.row = c.emit("b32", "rem.u32", at, cols), c.emit("b32", "div.u32", at, cols)
		}
		switch {
		case dims == nil:
		case c.segment != nil:
			p.coordinates = c.inSegment(first, i, dims)
		default:
			p.coordinates = c.coordinates(at, dims)
		}
		c.elementPlaces = append(c.elementPlaces, p)
	}
}

// A place is where an element is, in registers of 32 bits.
type place struct {
	column, row string
	coordinates []string // of 64 bits
}

// coordinates emits those of number at in C order. The first one takes what is left.
func (c *compiler) coordinates(at string, dims []string) []string {
	coordinates := make([]string, len(dims))
	for axis := len(dims) - 1; axis >= 0; axis-- {
		coordinate := at
		if axis > 0 {
			coordinate = c.emit("b32", "rem.u32", at, dims[axis])
			at = c.emit("b32", "div.u32", at, dims[axis])
		}
		coordinates[axis] = c.emit("b64", "cvt.u64.u32", coordinate)
	}
	return coordinates
}

// elementAddress emits the address of one element of an operand that is not packed.
func (c *compiler) elementAddress(operand, base string, l Layout, t dtype.Type, i int) string {
	size := strconv.Itoa(t.Size())
	switch p := c.elementPlaces[i]; l {
	case PerColumn:
		return c.emit("b64", "mad.wide.u32", p.column, size, base)
	case PerRow:
		return c.emit("b64", "mad.wide.u32", p.row, size, base)
	default:
		address := base
		for axis, name := range c.strideParameters(operand) {
			stride := c.emit("b64", "ld.param.b64", "["+name+"]")
			address = c.emit("b64", "mad.lo.s64", p.coordinates[axis], stride, address)
		}
		return address
	}
}
