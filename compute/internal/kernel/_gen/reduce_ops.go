package main

import (
	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/operand"
)

// folds lists what is emitted.
func folds() []fold {
	all := []fold{
		{name: "foldSumFloat32", doc: "acc += x", elem: 4, acc: 8, group: 32, step: one(foldSumFloat32)},
		{name: "foldSumSquaresFloat32", doc: "acc += x·x", elem: 4, acc: 8, group: 32, step: one(foldSumSquaresFloat32)},
		{name: "foldProdFloat32", doc: "acc *= x", elem: 4, acc: 8, group: 32, step: one(foldProdFloat32)},
		{name: "foldSumFloat64", doc: "acc, aux += x", elem: 8, acc: 8, group: 16, aux: true, unit: true, step: one(foldSumFloat64)},
		{name: "foldSumSquaresFloat64", doc: "acc, aux += x·x", elem: 8, acc: 8, group: 16, aux: true, unit: true, step: one(foldSumSquaresFloat64)},
		{name: "foldProdFloat64", doc: "acc *= x", elem: 8, acc: 8, group: 32, step: one(foldProdFloat64)},
		{name: "foldMomentsFloat32", doc: "acc += x - aux; the next += (x - aux)²", elem: 4, acc: 8, group: 32, planes: 2, step: foldMomentsFloat32},
		{name: "foldMomentsFloat64", doc: "acc += x - aux; the next two += (x - aux)²", elem: 8, acc: 8, group: 16, planes: 3, step: foldMomentsFloat64},
		{name: "foldCountBool", doc: "acc += x != 0", elem: 1, acc: 8, group: 32, step: one(foldCountBool)},
	}

	for _, t := range integers {
		all = append(all, foldSumInteger(t))
	}
	for _, t := range append(integers[:], floats[:]...) {
		all = append(all, foldOrder("Min", t), foldOrder("Max", t))
	}
	for _, t := range floats {
		all = append(all, foldOrder("FMin", t), foldOrder("FMax", t))
	}

	return all
}

// An element is a type that folds are emitted for.
type element struct {
	name     string
	size     int
	unsigned bool
}

var (
	integers = [...]element{
		{"Int8", 1, false}, {"Int16", 2, false}, {"Int32", 4, false}, {"Int64", 8, false},
		{"Uint8", 1, true}, {"Uint16", 2, true}, {"Uint32", 4, true}, {"Uint64", 8, true},
	}
	floats = [...]element{{"Float32", 4, false}, {"Float64", 8, false}}
)

func foldSumFloat32(k *asm, acc, _ value, x operand.Mem) {
	k.VADDPD(k.op(k.VCVTPS2PD, x), acc, acc)
}

func foldSumSquaresFloat32(k *asm, acc, _ value, x operand.Mem) {
	d := k.op(k.VCVTPS2PD, x)
	k.VADDPD(k.op(k.VMULPD, d, d), acc, acc)
}

func foldProdFloat32(k *asm, acc, _ value, x operand.Mem) {
	k.VMULPD(k.op(k.VCVTPS2PD, x), acc, acc)
}

func foldProdFloat64(k *asm, acc, _ value, x operand.Mem) { k.VMULPD(x, acc, acc) }

func foldMomentsFloat32(k *asm, acc []value, mean value, x operand.Mem) {
	d := k.op(k.VSUBPD, mean, k.op(k.VCVTPS2PD, x))
	k.VADDPD(d, acc[0], acc[0])
	k.VFMADD231PD(d, d, acc[1])
}

func foldMomentsFloat64(k *asm, acc []value, mean value, x operand.Mem) {
	d := k.op(k.VSUBPD, mean, k.op(k.VMOVUPD, x))
	k.VFMADD231PD(k.replicated(oneBits, 8), d, acc[0])
	sum := k.op(k.VMOVAPD, acc[1])
	k.VFMADD231PD(d, d, sum)
	lost := k.op(k.VSUBPD, sum, acc[1])
	k.VFMADD231PD(d, d, lost)
	k.VADDPD(lost, acc[2], acc[2])
	k.VMOVAPD(sum, acc[1])
}

func foldSumFloat64(k *asm, acc, lost value, x operand.Mem) {
	k.twoSum(acc, lost, k.op(k.VMOVUPD, x))
}

func foldSumSquaresFloat64(k *asm, acc, lost value, x operand.Mem) {
	v := k.op(k.VMOVUPD, x)
	k.twoSum(acc, lost, k.op(k.VMULPD, v, v))
}

// twoSum emits acc += x, lost += what rounding has lost, as the function twoSum of package kernel.
// Some sums are products with 1, since processors have units that only add beside those that
// multiply and add.
func (k *asm) twoSum(acc, lost, x value) {
	sum := k.op(k.VADDPD, x, acc)
	b := k.op(k.VSUBPD, acc, sum)
	e := k.op(k.VSUBPD, b, sum)
	k.VFNMADD231PD(k.unit, e, acc)
	k.VFNMADD231PD(k.unit, b, x)
	e = k.op(k.VADDPD, x, acc)
	k.VFMADD231PD(k.unit, e, lost)
	k.VMOVAPD(sum, acc)
}

func foldCountBool(k *asm, acc, _ value, x operand.Mem) {
	n := k.width / 8
	v := k.XMM()
	k.loadVector(x, n, v)
	k.VPMINUB(k.replicated(1, 1), v, v)
	k.VPADDQ(k.op(k.VPMOVZXBQ, v), acc, acc)
}

func foldSumInteger(t element) fold {
	f := fold{name: "foldSum" + t.name, doc: "acc += x", elem: t.size, acc: 8, group: 32}
	f.step = one(func(k *asm, acc, _ value, x operand.Mem) {
		if t.size == 8 {
			k.VPADDQ(x, acc, acc)
			return
		}
		widen := map[element]func(...operand.Op){
			integers[0]: k.VPMOVSXBQ, integers[1]: k.VPMOVSXWQ, integers[2]: k.VPMOVSXDQ,
			integers[4]: k.VPMOVZXBQ, integers[5]: k.VPMOVZXWQ, integers[6]: k.VPMOVZXDQ,
		}[t]
		k.VPADDQ(k.op(widen, x), acc, acc)
	})
	return f
}

// foldOrder is the fold of a minimum or maximum. Without FMin and FMax a NaN stays, with them any
// number replaces it.
func foldOrder(op string, t element) fold {
	f := fold{name: "fold" + op + t.name, doc: fmt.Sprintf("acc = %s(x, acc)", op), elem: t.size, acc: t.size, group: 128 / t.size}
	f.step = one(func(k *asm, acc, _ value, x operand.Mem) {
		v := k.vec()
		k.VMOVUPS(x, v)
		switch {
		case t.name == "Float32" || t.name == "Float64":
			k.foldFloatOrder(op, t.size, acc, v)
		case t.size == 8 && !k.wide():
			k.foldOrder64(op, t, acc, v)
		default:
			k.integerOrder(op, t)(v, acc, acc)
		}
	})
	return f
}

// foldFloatOrder emits acc = x where x comes before acc, or where the value that NaN is looked for
// in has one: x for Min and Max, acc for FMin and FMax.
func (k *asm) foldFloatOrder(op string, size int, acc, x value) {
	double := size == 8
	suspect := x
	if strings.HasPrefix(op, "F") {
		suspect = acc
	}

	pick := map[string]func(...operand.Op){"Min": k.VMINPS, "Max": k.VMAXPS}
	compare, blend, move := k.VCMPPS, k.VBLENDVPS, k.VMOVAPS
	if double {
		pick = map[string]func(...operand.Op){"Min": k.VMINPD, "Max": k.VMAXPD}
		compare, blend, move = k.VCMPPD, k.VBLENDVPD, k.VMOVAPD
	}

	const unordered = 3
	var mask operand.Op
	if k.wide() {
		mask = k.K()
	} else {
		mask = k.vec()
	}

	// The test for NaN comes first, because the next instruction overwrites acc.
	compare(operand.Imm(unordered), suspect, suspect, mask)
	pick[strings.TrimPrefix(op, "F")](acc, x, acc) // acc unless x comes before it

	if k.wide() {
		move(x, mask, acc)
	} else {
		blend(mask, x, acc, acc)
	}
}

// foldOrder64 emits the minimum or maximum of 64-bit integers, which AVX2 lacks.
func (k *asm) foldOrder64(op string, t element, acc, x value) {
	a, b := acc, value(x)
	if t.unsigned {
		sign := k.replicated(1<<63, 8)
		a, b = k.op(of3(k.VPXOR), sign, acc), k.op(of3(k.VPXOR), sign, x)
	}
	if op == "Max" {
		a, b = b, a
	}
	mask := k.op(k.VPCMPGTQ, b, a) // a > b: x replaces acc
	k.VBLENDVPD(mask, x, acc, acc)
}

func (k *asm) integerOrder(op string, t element) func(...operand.Op) {
	switch op + t.name {
	case "MinInt8":
		return k.VPMINSB
	case "MinInt16":
		return k.VPMINSW
	case "MinInt32":
		return k.VPMINSD
	case "MinInt64":
		return k.VPMINSQ
	case "MinUint8":
		return k.VPMINUB
	case "MinUint16":
		return k.VPMINUW
	case "MinUint32":
		return k.VPMINUD
	case "MinUint64":
		return k.VPMINUQ
	case "MaxInt8":
		return k.VPMAXSB
	case "MaxInt16":
		return k.VPMAXSW
	case "MaxInt32":
		return k.VPMAXSD
	case "MaxInt64":
		return k.VPMAXSQ
	case "MaxUint8":
		return k.VPMAXUB
	case "MaxUint16":
		return k.VPMAXUW
	case "MaxUint32":
		return k.VPMAXUD
	}
	return k.VPMAXUQ
}
