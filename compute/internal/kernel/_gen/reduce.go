package main

import (
	"go/types"

	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A fold describes a function with the signature of kernel.Fold, for at least one row and a
// multiple of as many columns as a vector has accumulators. It keeps the accumulators of group
// columns in registers while it goes down the rows.
type fold struct {
	name  string
	doc   string
	elem  int  // size of an element in bytes
	acc   int  // size of an accumulator in bytes
	group int  // columns at once, fewer where registers are short
	aux   bool // whether aux has second accumulators, float64 each
	unit  bool // whether steps need the unit of asm

	// planes is the number of accumulators of a column, if there are several: momentBytes from one
	// to the next.
	planes int

	// step emits acc = f(acc, x) for a vector of accumulators of each plane: x is where its
	// elements are, aux the second accumulators or the address of the second operands.
	step func(k *asm, acc []value, aux value, x operand.Mem)
}

// momentBytes is kernel.MomentCols in bytes.
const momentBytes = 8 << 10

// temporaries is the number of registers that a step may take.
const temporaries = 4

// one makes a step of what works on one accumulator.
func one(step func(k *asm, acc, aux value, x operand.Mem)) func(*asm, []value, value, operand.Mem) {
	return func(k *asm, acc []value, aux value, x operand.Mem) { step(k, acc[0], aux, x) }
}

// A foldCursor holds the registers of a running fold.
type foldCursor struct {
	fold
	acc, aux, src, stride, rows, cols reg.GPVirtual
}

// foldSignature is that of kernel.Fold.
func foldSignature() *gotypes.Signature {
	var params []*types.Var
	for _, name := range []string{"acc", "aux", "src"} {
		params = append(params, types.NewParam(0, nil, name, types.Typ[types.UnsafePointer]))
	}
	for _, name := range []string{"stride", "rows", "cols"} {
		params = append(params, types.NewParam(0, nil, name, types.Typ[types.Int]))
	}
	return gotypes.NewSignature(nil, types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), nil, false))
}

// emitFolds emits all folds.
func emitFolds(k *asm) {
	for _, f := range folds() {
		k.emitFold(f)
	}
}

func (k *asm) emitFold(f fold) {
	k.Function(f.name + k.name)
	k.Doc(f.doc)
	k.Pragma("noescape")
	k.Attributes(attrNoSplit)
	k.Signature(foldSignature())
	k.labels = 0

	c := &foldCursor{
		fold: f,
		acc:  k.param("acc"), aux: k.param("aux"), src: k.param("src"),
		stride: k.param("stride"), rows: k.param("rows"), cols: k.param("cols"),
	}

	if f.unit {
		k.unit = fp{k, 8}.one()
	}

	f.planes = max(f.planes, 1)
	// Fewer columns at a time, as long as their accumulators don't fit in the registers.
	c.fold = f
	vector := k.width / f.acc
	for f.planes > 1 && f.planes*f.group/vector > k.registers-temporaries {
		f.group /= 2
	}

	if f.group > vector {
		k.whole(c.cols, f.group, func() { k.foldColumns(c, f.group/vector) })
	}
	k.whole(c.cols, vector, func() { k.foldColumns(c, 1) })

	k.ret()
}

// foldColumns emits the way down the rows for some vectors of accumulators, and the step to the
// next columns.
func (k *asm) foldColumns(c *foldCursor, vectors int) {
	lanes := k.width / c.fold.acc
	acc, aux := make([][]value, vectors), make([]value, vectors)
	at := func(vector, plane int) operand.Mem {
		return operand.Mem{Base: c.acc, Disp: vector*k.width + plane*momentBytes}
	}

	// Accumulators stay in registers for all rows.
	for i := range acc {
		acc[i] = make([]value, c.planes)
		for plane := range acc[i] {
			acc[i][plane] = k.vec()
			k.VMOVUPS(at(i, plane), acc[i][plane])
		}
		aux[i] = operand.Mem{Base: c.aux, Disp: i * k.width}
		if c.fold.aux {
			m := aux[i]
			aux[i] = k.vec()
			k.VMOVUPS(m, aux[i])
		}
	}

	src, rows, head := k.GP64(), k.GP64(), k.label("row")
	k.MOVQ(c.src, src)
	k.MOVQ(c.rows, rows)
	k.align()
	k.Label(head)

	for i := range acc {
		c.step(k, acc[i], aux[i], operand.Mem{Base: src, Disp: i * lanes * c.elem})
	}

	k.ADDQ(c.stride, src)
	k.DECQ(rows)
	k.JNE(operand.LabelRef(head))

	for i := range acc {
		for plane, r := range acc[i] {
			k.VMOVUPS(r, at(i, plane))
		}
		if c.fold.aux {
			k.VMOVUPS(aux[i], operand.Mem{Base: c.aux, Disp: i * k.width})
		}
	}

	k.ADDQ(operand.U32(vectors*k.width), c.acc)
	k.ADDQ(operand.U32(vectors*lanes*c.elem), c.src)
	k.ADDQ(operand.U32(vectors*lanes*8), c.aux)
}
