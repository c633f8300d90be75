package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A width is the number of bytes of a vector register.
type width int

const (
	xmm width = 16
	ymm width = 32
	zmm width = 64
)

func (w width) isa() string {
	switch w {
	case xmm:
		return "AVX"
	case ymm:
		return "AVX2"
	}
	return "AVX512"
}

// A kernel transposes tiles of as many rows and columns as elements of size bytes fit into a
// vector.
type kernel struct {
	*build.Context
	width
	size   int
	stream bool // writes past the caches
}

func (k kernel) register() reg.VecVirtual {
	switch k.width {
	case xmm:
		return k.XMM()
	case ymm:
		return k.YMM()
	}
	return k.ZMM()
}

func (k kernel) side() int { return int(k.width) / k.size }

func (k kernel) name() string {
	name := fmt.Sprintf("tiles%d%s", k.size, k.isa())
	if k.stream {
		name += "Stream"
	}
	return name
}

// scratch is the number of bytes a tile needs for what the registers do not hold.
func (k kernel) scratch() int {
	switch k.size {
	case 1:
		return (k.side() + k.side()/4) * int(k.width) // all pairs of rows, and half of the pairs of these
	case 2:
		return k.side() / 2 * int(k.width)
	}
	return 0
}

// generate writes one function: for each column of tiles, those of the rows one after the other, so
// that the rows of the destination grow.
func (k kernel) generate() {
	signature := "func(dst, src *byte, dstStride, srcStride, rowTiles, colTiles int"
	doc := fmt.Sprintf("%s transposes rowTiles × colTiles tiles of %d×%d elements of %d bytes.", k.name(), k.side(), k.side(), k.size)
	if k.scratch() > 0 {
		signature += ", scratch *byte"
		doc += fmt.Sprintf(" scratch is memory of %d bytes.", k.scratch())
	}

	if k.stream {
		doc += fmt.Sprintf(" Its stores go past the caches: dst and dstStride are multiples of %d.", k.width)
	}
	k.Function(k.name())
	k.Attributes(attr.NOSPLIT)
	k.SignatureExpr(signature + ")")
	k.Doc(doc)
	k.Pragma("noescape")

	dst, src := k.load("dst"), k.load("src")
	t := tile{kernel: k, dstStride: k.load("dstStride")}
	if k.scratch() > 0 {
		t.scratch.at = k.load("scratch")
	}
	srcStride, colTiles := k.load("srcStride"), k.load("colTiles")
	srcStep, dstStep := k.GP64(), k.GP64()
	k.IMUL3Q(U8(k.side()), srcStride, srcStep)
	k.IMUL3Q(U8(k.side()), t.dstStride, dstStep)

	// Go down the column of tiles: the rows of the destination grow then, so that their lines are
	// filled.
	k.Label("column")
	from, rowTiles := k.GP64(), k.load("rowTiles")
	k.MOVQ(src, from)
	t.dst = k.GP64()
	k.MOVQ(dst, t.dst)

	k.Label("row")
	t.transpose(rows{at: from, stride: srcStride})
	k.ADDQ(srcStep, from)
	k.ADDQ(Imm(uint64(k.width)), t.dst)
	k.DECQ(rowTiles)
	k.JNZ(LabelRef("row"))

	k.ADDQ(Imm(uint64(k.width)), src)
	k.ADDQ(dstStep, dst)
	k.DECQ(colTiles)
	k.JNZ(LabelRef("column"))
	if k.stream {
		k.SFENCE()
	}
	k.VZEROUPPER()
	k.RET()
}

func (k kernel) load(param string) reg.GPVirtual {
	return k.Load(k.Param(param), k.GP64()).(reg.GPVirtual)
}
