package main

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A loop describes a function that runs over n elements: whole groups of unroll steps first, with
// all loads before the stores (operands whose addresses agree in the low 12 bits would otherwise
// wait for each other), then single steps, then the rest of a step. A step is of lanes elements, of
// which every operand takes at most one register.
type loop struct {
	name   string // of the function
	doc    string // what it computes
	lanes  int
	unroll int // 4 if 0
	dst    int // size of a result in bytes
	args   []arg
	pairs  bool // n counts pairs of elements, and scalars are pairs

	// start emits what comes before the loop and returns what emits the steps. in[i][j] is operand
	// i of step j, which must not be changed; the results are in one register a step, or in fewer
	// of whole bytes.
	start func(*asm) func(in [][]value) []value
}

// An arg is an operand of elements of size bytes.
type arg struct {
	size   int
	scalar bool                          // one element for all
	spread func(*asm, operand.Mem) value // makes of a scalar what the steps take; nil: a vector full of it
}

// A cursor holds the registers of a running loop.
type cursor struct {
	loop
	args    []reg.GPVirtual // addresses
	scalars []value
	dst     reg.GPVirtual
	done    reg.GPVirtual // number of elements
	step    func([][]value) []value
}

var paramNames = []string{"a", "b", "c", "d"}

// emit emits the function of l.
func (k *asm) emit(l loop) {
	k.function(l.name, l.doc)
	c, left := k.open(&l)
	group := l.unroll * l.lanes
	if l.unroll > 1 {
		k.whole(left, group, func() { k.group(c, l.unroll, k.storeVector) })
	}
	if k.wide() {
		k.maskedSteps(c, left)
	} else {
		k.whole(left, l.lanes, func() { k.group(c, 1, k.storeVector) })
		k.tail(c, left)
	}
	k.ret()
}

// emitStream emits the function of l with non-temporal stores for whole groups; the rest it leaves
// to the one of emit.
func (k *asm) emitStream(l loop) (name string) {
	rest := l.name
	name = strings.TrimSuffix(rest, k.name) + "Stream" + k.name
	k.function(name, l.doc+", stored past the caches")

	c, left := k.open(&l)
	// Non-temporal stores are weakly ordered: the fence keeps later stores behind them.
	k.whole(left, l.unroll*l.lanes, func() { k.group(c, l.unroll, k.storeNT) })
	k.SFENCE()

	// Move the parameters to what is left, and go on in the function of emit, whose frame is the
	// same.
	for i, a := range l.args {
		if !a.scalar {
			k.advance(paramNames[i], c.args[i], c.done, a.size)
		}
	}
	k.advance("dst", c.dst, c.done, l.dst)

	if l.pairs {
		k.SHRQ(operand.Imm(1), left)
	}

	k.MOVQ(left, k.address("n"))
	k.tailCall(rest)
	return name
}

// emitSwapped emits a function that is another one with a and b exchanged.
func (k *asm) emitSwapped(name, doc, other string) {
	k.function(name, doc)
	a, b := k.param("a"), k.param("b")
	k.MOVQ(b, k.address("a"))
	k.MOVQ(a, k.address("b"))
	k.tailCall(other)
}

// advance stores the address of the elements that remain as a parameter.
func (k *asm) advance(param string, base, done reg.GPVirtual, size int) {
	k.LEAQ(operand.Mem{Base: base, Index: done, Scale: uint8(size)}, base)
	k.MOVQ(base, k.address(param))
}

// open loads the parameters, and emits what comes before the loop. It returns also the number of
// elements left.
func (k *asm) open(l *loop) (*cursor, reg.GPVirtual) {
	if l.unroll == 0 {
		l.unroll = 4
	}

	c := &cursor{loop: *l, dst: k.param("dst"), args: make([]reg.GPVirtual, len(l.args)), scalars: make([]value, len(l.args))}
	for i, a := range l.args {
		p := k.param(paramNames[i])
		switch m := (operand.Mem{Base: p}); {
		case !a.scalar:
			c.args[i] = p
		case a.spread != nil:
			c.scalars[i] = a.spread(k, m)
		case l.pairs:
			c.scalars[i] = k.broadcastFrom(m, 2*a.size)
		default:
			c.scalars[i] = k.broadcastFrom(m, a.size)
		}
	}

	c.step = l.start(k)
	left := k.param("n")
	if l.pairs {
		k.SHLQ(operand.Imm(1), left)
	}

	c.done = k.GP64()
	k.XORQ(c.done, c.done)
	return c, left
}

// whole emits a loop that runs body while count elements are left.
func (k *asm) whole(left reg.GPVirtual, count int, body func()) {
	head, end := k.label("whole"), k.label("rest")
	k.SUBQ(operand.U32(count), left)
	k.JL(operand.LabelRef(end))
	k.align()
	k.Label(head)
	body()
	k.SUBQ(operand.U32(count), left)
	k.JGE(operand.LabelRef(head))
	k.Label(end)
	k.ADDQ(operand.U32(count), left)
}

// group emits the loads, the results and the stores of some steps.
func (k *asm) group(c *cursor, steps int, store func(operand.Mem, int, value)) {
	in := c.operands(k, steps, func(i, j, sizeBytes int) value {
		r := k.vecOf(sizeBytes)
		k.loadVector(c.at(c.args[i], c.loop.args[i].size, j*c.lanes), sizeBytes, r)
		return r
	})
	out := c.step(in)
	lanes := steps * c.lanes / len(out)
	for j, r := range out {
		store(c.at(c.dst, c.loop.dst, j*lanes), lanes*c.loop.dst, r)
	}
	k.ADDQ(operand.U32(steps*c.lanes), c.done)
}

// operands gathers the operands of some steps: scalars as they are, the others from load.
func (c *cursor) operands(k *asm, steps int, load func(arg, step, sizeBytes int) value) [][]value {
	in := make([][]value, len(c.args))
	for i, a := range c.loop.args {
		in[i] = make([]value, steps)
		for j := range in[i] {
			if a.scalar {
				in[i][j] = c.scalars[i]
			} else {
				in[i][j] = load(i, j, c.lanes*a.size)
			}
		}
	}
	return in
}

// at is the address of the element that many after the current one.
func (c *cursor) at(base reg.GPVirtual, size, after int) operand.Mem {
	return operand.Mem{Base: base, Index: c.done, Scale: uint8(size), Disp: after * size}
}

// maskedSteps emits the steps after the groups for AVX-512, each under a mask of the elements left.
// It ends with none left.
func (k *asm) maskedSteps(c *cursor, left reg.GPVirtual) {
	head, end := k.label("masked"), k.label("end")
	bits, mask := k.GP64(), k.K()

	k.TESTQ(left, left)
	k.JE(operand.LabelRef(end))

	// BZHI clears the bits from left on, so that the mask has a bit for each element left.
	all := k.GP64()
	k.MOVQ(operand.I32(-1), all)
	k.Label(head)
	k.BZHIQ(left, all, bits) // all set where more than 63 are left: there are fewer than 256
	k.KMOVQ(bits, mask)

	in := c.operands(k, 1, func(i, _, sizeBytes int) value {
		r := k.vecOf(sizeBytes)
		k.loadMasked(c.at(c.args[i], c.loop.args[i].size, 0), c.loop.args[i].size, mask, r)
		return r
	})
	k.storeMasked(c.step(in)[0], c.loop.dst, mask, c.at(c.dst, c.loop.dst, 0))

	k.ADDQ(operand.U32(c.lanes), c.done)
	k.SUBQ(operand.U32(c.lanes), left)
	k.JG(operand.LabelRef(head))
	k.Label(end)
}
