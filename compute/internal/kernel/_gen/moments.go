package main

import (
	"go/types"

	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
)

// joinSignature is that of kernel.Join.
func joinSignature() *gotypes.Signature {
	var params []*types.Var
	for _, name := range []string{"sum", "square", "nextSum", "nextSquare", "scale"} {
		params = append(params, types.NewParam(0, nil, name, types.Typ[types.UnsafePointer]))
	}
	params = append(params, types.NewParam(0, nil, "n", types.Typ[types.Int]))
	return gotypes.NewSignature(nil, types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), nil, false))
}

// emitJoins emits the two forms of kernel.Join.
func emitJoins(k *asm) {
	k.emitJoin("joinMoments", fp.div)
	k.emitJoin("joinMomentsEqual", fp.mul)
}

// emitJoin emits the join of moments, for a multiple of the vectors' elements; scaled makes the
// mean of a sum and what is in scale for that.
func (k *asm) emitJoin(name string, scaled func(f fp, sum, scale value) value) {
	f := fp{k, 8}

	k.Function(name + k.name)
	k.Doc("square += nextSquare + (nextSum/b - sum/a)²·share; sum += nextSum")
	k.Pragma("noescape")
	k.Attributes(attrNoSplit)
	k.Signature(joinSignature())
	k.labels = 0

	sum, square, nextSum, nextSquare := k.param("sum"), k.param("square"), k.param("nextSum"), k.param("nextSquare")
	scale, left := k.param("scale"), k.param("n")
	at := func(i int) operand.Mem { return operand.Mem{Base: scale, Disp: 8 * i} }
	mine, theirs, share := k.broadcastFrom(at(0), 8), k.broadcastFrom(at(1), 8), k.broadcastFrom(at(2), 8)
	load := func(m operand.Mem) value { return k.op(k.VMOVUPD, m) }

	k.whole(left, f.lanes(), func() {
		s, next := load(operand.Mem{Base: sum}), load(operand.Mem{Base: nextSum})
		d := f.sub(f.mul(next, theirs), scaled(f, s, mine))
		q := f.add(load(operand.Mem{Base: nextSquare}), f.mul(f.mul(d, d), share))
		k.VMOVUPD(f.add(load(operand.Mem{Base: square}), q), operand.Mem{Base: square})
		k.VMOVUPD(f.add(s, next), operand.Mem{Base: sum})
		for _, r := range []operand.Op{sum, square, nextSum, nextSquare} {
			k.ADDQ(operand.U32(k.width), r)
		}
	})

	k.ret()
}
