package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An element is what a kernel multiplies and adds.
type element int

const (
	float32s element = iota
	float64s
	int32s
	int64s
)

func (e element) String() string { return [...]string{"Float32", "Float64", "Int32", "Int64"}[e] }

func (e element) size() int { return [...]int{4, 8, 4, 8}[e] }

func (e element) isFloat() bool { return e == float32s || e == float64s }

// A micro is a kernel for a tile of rows × vectors registers.
type micro struct {
	*build.Context
	elem    element
	width   int // bytes of a register
	rows    int
	vectors int
}

// unroll is the number of steps along k in one turn of the loop.
const unroll = 4

// ahead is the number of steps along k that a panel of a is fetched before it is used.
const ahead = 16

func (m micro) cols() int { return m.vectors * m.width / m.elem.size() }

func (m micro) name() string {
	isa := "AVX2"
	if m.width == zmmBytes {
		isa = "AVX512"
	}
	return fmt.Sprintf("micro%v%s", m.elem, isa)
}

// generate writes one function.
func (m micro) generate() {
	m.Function(m.name())
	m.Attributes(attr.NOSPLIT)
	m.SignatureExpr("func(kc int, a, b, c *byte, stride int, add int)")
	m.Doc(fmt.Sprintf("%s multiplies a panel of %d rows by one of %d columns; see microFunc.", m.name(), m.rows, m.cols()))
	m.Pragma("noescape")

	kc, a, b, c, stride := m.load("kc"), m.load("a"), m.load("b"), m.load("c"), m.load("stride")

	// Fetch the tile of c while the products are computed: it is needed at the end.
	sums := m.zeros()
	m.fetch(c, stride)

	// The main loop takes unroll steps a turn, which is a power of two.
	steps := m.GP64()
	m.MOVQ(kc, steps)
	m.SHRQ(Imm(2), steps)
	m.JZ(LabelRef("rest"))
	m.Label("four")
	m.PREFETCHT0(Mem{Base: a, Disp: ahead * m.rows * m.elem.size()})
	m.PREFETCHT0(Mem{Base: a, Disp: ahead*m.rows*m.elem.size() + 64})
	m.PREFETCHT0(Mem{Base: a, Disp: ahead*m.rows*m.elem.size() + 128})
	for step := range unroll {
		m.step(a, b, step, sums)
	}
	m.ADDQ(U32(unroll*m.rows*m.elem.size()), a)
	m.ADDQ(U32(unroll*m.vectors*m.width), b)
	m.DECQ(steps)
	m.JNZ(LabelRef("four"))

	// The steps that are left, one by one.
	m.Label("rest")
	m.ANDQ(Imm(unroll-1), kc)
	m.JZ(LabelRef("end"))
	m.Label("one")
	m.step(a, b, 0, sums)
	m.ADDQ(U32(m.rows*m.elem.size()), a)
	m.ADDQ(U32(m.vectors*m.width), b)
	m.DECQ(kc)
	m.JNZ(LabelRef("one"))

	m.Label("end")
	m.store(c, stride, sums)
}

func (m micro) load(param string) reg.GPVirtual {
	return m.Load(m.Param(param), m.GP64()).(reg.GPVirtual)
}

func (m micro) register() reg.VecVirtual {
	if m.width == zmmBytes {
		return m.ZMM()
	}
	return m.YMM()
}

// zeros returns the registers of the tile, row by row.
func (m micro) zeros() [][]reg.VecVirtual {
	sums := make([][]reg.VecVirtual, m.rows)
	for i := range sums {
		for range m.vectors {
			r := m.register()
			if m.width == zmmBytes {
				m.VPXORQ(r, r, r)
			} else {
				m.VPXOR(r, r, r)
			}
			sums[i] = append(sums[i], r)
		}
	}
	return sums
}

// fetch brings the tile of c into the caches.
func (m micro) fetch(c, stride reg.GPVirtual) {
	row := m.GP64()
	m.MOVQ(c, row)
	for range m.rows {
		for at := 0; at < m.vectors*m.width; at += 64 {
			m.PREFETCHT0(Mem{Base: row, Disp: at})
		}
		m.PREFETCHT0(Mem{Base: row, Disp: m.vectors*m.width - 1})
		m.ADDQ(stride, row)
	}
}

// step adds the products of one column of a and one row of b.
func (m micro) step(a, b reg.GPVirtual, step int, sums [][]reg.VecVirtual) {
	row := make([]reg.VecVirtual, m.vectors)
	for j := range row {
		row[j] = m.register()
		m.move(Mem{Base: b, Disp: (step*m.vectors + j) * m.width}, row[j])
	}
	for i := range sums {
		x := m.register()
		m.broadcast(Mem{Base: a, Disp: (step*m.rows + i) * m.elem.size()}, x)
		for j := range row {
			m.multiplyAdd(x, row[j], sums[i][j])
		}
	}
}

// store puts the tile into c, or adds it to what is there.
func (m micro) store(c, stride reg.GPVirtual, sums [][]reg.VecVirtual) {
	add := m.load("add")
	m.TESTQ(add, add)
	m.JZ(LabelRef("store"))

	// Add what c holds to the sums. The rows of c are walked with a register of their own, because
	// c is still needed for the stores.
	row := m.GP64()
	m.MOVQ(c, row)
	for i := range sums {
		for j, sum := range sums[i] {
			m.add(Mem{Base: row, Disp: j * m.width}, sum, sum)
		}
		if i < len(sums)-1 {
			m.ADDQ(stride, row)
		}
	}

	m.Label("store")
	for i := range sums {
		for j, sum := range sums[i] {
			m.move(sum, Mem{Base: c, Disp: j * m.width})
		}
		if i < len(sums)-1 {
			m.ADDQ(stride, c)
		}
	}

	m.VZEROUPPER()
	m.RET()
}

func (m micro) move(from, to Op) { m.VMOVUPS(from, to) }

func (m micro) broadcast(from, to Op) {
	if m.elem.size() == 8 {
		m.VBROADCASTSD(from, to)
	} else {
		m.VBROADCASTSS(from, to)
	}
}

func (m micro) multiplyAdd(x, y, sum reg.VecVirtual) {
	switch m.elem {
	case float32s:
		m.VFMADD231PS(x, y, sum)
	case float64s:
		m.VFMADD231PD(x, y, sum)
	case int32s:
		product := m.register()
		m.VPMULLD(x, y, product)
		m.VPADDD(product, sum, sum)
	case int64s:
		product := m.register()
		m.VPMULLQ(x, y, product)
		m.VPADDQ(product, sum, sum)
	}
}

func (m micro) add(from, x, to Op) {
	switch m.elem {
	case float32s:
		m.VADDPS(from, x, to)
	case float64s:
		m.VADDPD(from, x, to)
	case int32s:
		m.VPADDD(from, x, to)
	case int64s:
		m.VPADDQ(from, x, to)
	}
}
