package ptx

import (
	"strconv"
)

func text(n int) string { return strconv.Itoa(n) }

// A panel is A or B as a thread sees it. Of each stage it takes a few elements, which lie side by
// side, to shared memory. It reads others from there.
type panel struct {
	edge   int      // the elements of a step
	from   string   // the address of its elements of the next stage
	stride string   // the bytes from one stage to the next
	step   string   // the step of a stage that they belong to
	to     string   // where they go in the first half
	read   string   // where it reads in the first half
	there  string   // whether the next stage has its step
	moving []string // its elements on their way
}

// newPanel emits the addresses of a panel whose stage lies at a place of each half. block is the
// number of the tile along its side, and part that of the thread.
func (p *product) newPanel(name, thread, block, part string, edge, at int) panel {
	elements := depth * edge / ProductThreads // that a thread takes
	across := edge / elements                 // threads for each step
	step, place := p.emit("b32", "div.u32", thread, text(across)), p.emit("b32", "rem.u32", thread, text(across))
	n := panel{edge: edge, step: step, there: p.register("pred")}

	// In memory.
	element := p.emit("b32", "mul.lo.u32", block, text(edge))
	element = p.emit("b32", "mad.lo.u32", place, text(elements), element)
	n.from = p.emit("b64", "mad.wide.u32", element, text(p.size), p.param(name))
	stride := p.param("row_" + name)
	n.from = p.emit("b64", "mad.lo.u64", p.emit("b64", "cvt.u64.u32", step), stride, n.from)
	n.stride = p.emit("b64", "mul.lo.u64", stride, text(depth))

	// In shared memory.
	start := p.emit("b32", "add.u32", p.emit("b32", "mov.u32", "panels"), text(at))
	n.to = p.emit("b32", "mad.lo.u32", thread, text(elements*p.size), start)
	n.read = p.emit("b32", "mad.lo.u32", part, text(edge/threadsAcross/2*p.size), start)
	for range elements {
		n.moving = append(n.moving, p.register(p.typ))
	}
	return n
}

// vectors calls do for the elements of a panel that are moved at once, 16 bytes of them, and their
// bytes behind the first.
func (p *product) vectors(registers []string, do func(modifier, operand string, at int)) {
	n := vectorBytes / p.size
	for i := 0; i < len(registers); i += n {
		modifier, operand := vectorOf(registers[i : i+n])
		do(modifier+"."+p.typ, operand, i*p.size)
	}
}

// fetch sends for the elements of the stage that begins with a step, to go to a half. The last
// stage may have fewer steps.
func (p *product) fetch(first, half string) {
	for i := range p.panels {
		n := &p.panels[i]
		p.set(n.there, "setp.lt.u32", p.emit("b32", "add.u32", first, n.step), p.k)
		to := p.emit("b32", "add.u32", n.to, half)
		p.vectors(n.moving, func(typ, operand string, at int) {
			if p.copies {
				p.line("@%s cp.async.cg.shared.global [%s+%d], [%s+%d], %d", n.there, to, at, n.from, at, vectorBytes)
			} else {
				p.line("@%s ld.global%s %s, [%s+%d]", n.there, typ, operand, n.from, at)
			}
		})
		p.set(n.from, "add.u64", n.from, n.stride)
	}
}

// deliver puts what was sent for into a half, or waits until it is there.
func (p *product) deliver(half string) {
	if p.copies {
		p.line("cp.async.wait_all")
		return
	}
	for i := range p.panels {
		n := &p.panels[i]
		to := p.emit("b32", "add.u32", n.to, half)
		p.vectors(n.moving, func(typ, operand string, at int) {
			p.line("@%s st.shared%s [%s+%d], %s", n.there, typ, to, at, operand)
		})
	}
}

// readStep loads what the thread needs of a step from shared memory: its rows of A or its columns of
// B.
func (p *product) readStep(n *panel, from string, step int) (elements []string) {
	half := n.edge / threadsAcross / 2
	for part := range 2 {
		var registers []string
		for range half {
			registers = append(registers, p.register(p.typ))
		}
		at := step*n.edge + places(n.edge)[part*half]
		p.vectors(registers, func(typ, operand string, behind int) {
			p.line("ld.shared%s %s, [%s+%d]", typ, operand, from, at*p.size+behind)
		})
		elements = append(elements, registers...)
	}
	return elements
}

// places returns where a thread has its rows or columns in a tile, behind the first one: half of
// them side by side, the others half a tile apart, so that threads side by side read places side by
// side.
func places(edge int) (all []int) {
	half := edge / threadsAcross / 2
	for i := range 2 * half {
		all = append(all, i%half+i/half*(edge/2))
	}
	return all
}
