package ptx

import (
	"fmt"
	"strconv"

	"github.com/tstore/tstore/dtype"
)

// entry emits the code of an entry. Each thread computes some elements that follow each other. The
// last one may have fewer: it loads and stores them one by one, and computes all.
func (c *compiler) entry() {
	done := c.newLabel()
	first := c.firstElement(done)
	c.places(first)
	c.loadScalars()

	results := c.elements(first)

	var addresses [][]string
	for k, v := range c.program.Outputs {
		addresses = append(addresses, c.addresses("out"+strconv.Itoa(k), first, c.layouts.output(k), c.program.TypeOf(v)))
	}
	c.eitherWay(func(whole bool) {
		for k, v := range c.program.Outputs {
			elements := make([]value, c.perThread)
			for i := range elements {
				elements[i] = results[i][v]
			}
			if whole && c.layouts.output(k) == Packed {
				c.storeVector(c.program.TypeOf(v), addresses[k][0], elements)
			} else {
				c.storeEach(c.program.TypeOf(v), addresses[k], elements)
			}
		}
	})
	c.mark(done)
}

// elements emits the operations on the elements of a thread, from its first one on, and returns
// their values.
func (c *compiler) elements(first string) [][]value {
	var inputs [][]value // of each operand, its elements
	var addresses [][]string
	for k, t := range c.program.Inputs {
		addresses = append(addresses, c.addresses("in"+strconv.Itoa(k), first, c.layouts.input(k), t))
		inputs = append(inputs, c.room(t))
	}
	c.eitherWay(func(whole bool) {
		for k, t := range c.program.Inputs {
			if whole && c.layouts.input(k) == Packed {
				c.loadVector(t, addresses[k][0], inputs[k])
			} else {
				c.loadEach(t, addresses[k], inputs[k])
			}
		}
	})

	results := make([][]value, c.perThread)
	for i := range results {
		results[i] = c.element(i, inputs)
	}
	return results
}

// firstElement returns the number of the first element of the thread. A thread without elements
// goes to done.
func (c *compiler) firstElement(done string) string {
	block, width, thread := c.emit("b32", "mov.u32", "%ctaid.x"), c.emit("b32", "mov.u32", "%ntid.x"), c.emit("b32", "mov.u32", "%tid.x")
	wide := c.emit("b64", "cvt.u64.u32", thread)
	first := c.emit("b64", "mad.wide.u32", block, width, wide)
	if c.perThread > 1 {
		first = c.emit("b64", "mul.lo.u64", first, strconv.Itoa(c.perThread))
	}

	n := c.emit("b64", "ld.param.b64", "[n]")
	outside := c.emit("pred", "setp.ge.u64", first, n)
	c.line("@%s bra %s", outside, done)

	c.end(first, n)
	return first
}

// end emits which elements of a thread there are: those before number n.
func (c *compiler) end(first, n string) {
	c.inside = nil
	for i := range c.perThread {
		at := first
		if i > 0 {
			at = c.emit("b64", "add.u64", first, strconv.Itoa(i))
		}
		c.inside = append(c.inside, c.emit("pred", "setp.lt.u64", at, n))
	}
	c.full = c.inside[c.perThread-1]
}

// addresses returns where the elements of a thread are in an operand: where they begin, if they are
// packed, or where each is.
func (c *compiler) addresses(operand, first string, l Layout, t dtype.Type) (all []string) {
	if c.segment != nil && l == Strided {
		for i := range c.perThread {
			all = append(all, c.elementAddress(operand, c.segment.addresses[operand], l, t, i))
		}
		return all
	}
	base := c.emit("b64", "ld.param.b64", "["+operand+"]")
	if l == Packed {
		return []string{c.emit("b64", "mad.lo.u64", first, strconv.Itoa(t.Size()), base)}
	}
	for i := range c.perThread {
		all = append(all, c.elementAddress(operand, base, l, t, i))
	}
	return all
}

// eitherWay emits what a thread does with all its elements, and what it does with some of them, or
// with none: threads without elements are needed where values are folded.
func (c *compiler) eitherWay(do func(whole bool)) {
	if c.present || c.perThread == 1 && len(c.program.Folds) == 0 {
		do(true)
		return
	}
	some, both := c.newLabel(), c.newLabel()
	c.line("@!%s bra %s", c.full, some)
	do(true)
	c.line("bra %s", both)
	c.mark(some)
	do(false)
	c.mark(both)
}

// loadScalars emits the scalars, which are the same for all elements.
func (c *compiler) loadScalars() {
	for k, t := range c.program.Scalars {
		var words []string
		for part := range partsIn8Bytes(t) {
			words = append(words, c.emit("b64", "ld.param.b64", fmt.Sprintf("[scalar%d_%d]", k, part)))
		}
		c.scalars = append(c.scalars, c.fromWords(t, words))
	}
}

// element emits the operations on one element and returns all its values.
func (c *compiler) element(i int, inputs [][]value) []value {
	var values []value
	for k := range inputs {
		values = append(values, inputs[k][i])
	}
	values = append(values, c.scalars...)
	for k := range c.program.Ops {
		values = append(values, c.op(&c.program.Ops[k], values))
	}
	return values
}
