package ptxvm

import (
	"fmt"
	"math/bits"
	"slices"
)

// A warp runs threads in step. Those that went different ways are groups: the one that is behind
// runs until it comes where the next one is.
type warp struct {
	*grid
	first     int    // the number of its first thread in the block
	all       uint32 // its threads, a bit for each
	registers []lanes
	written   []uint32 // of each register, in which threads it was
	groups    []group  // in the order of their places
	waits     bool     // at a barrier
	flights   [warpSize]flight
}

// A group is threads that are at the same instruction.
type group struct {
	pc   int
	mask uint32
}

const fullMask = 1<<warpSize - 1

// newWarp returns a warp with the values of registers that nothing writes.
func newWarp(g *grid) *warp {
	e := g.entry
	w := &warp{grid: g}
	w.registers, w.written = make([]lanes, len(e.registers)), make([]uint32, len(e.registers))
	for _, c := range e.constants {
		w.fill(c.register, c.value)
	}
	for i, p := range e.params {
		w.fill(p.register, g.launch.Params[i]&p.kind.mask())
	}
	return w
}

// fill sets a register in all threads.
func (w *warp) fill(register int, v uint64) {
	for i := range w.registers[register] {
		w.registers[register][i] = v
	}
}

// begin makes the warp ready to run the threads of a block from first on.
func (w *warp) begin(first int) {
	e := w.entry
	w.first, w.all = first, 1<<min(warpSize, w.threads()-first)-1
	clear(w.written)
	for _, c := range e.constants {
		w.written[c.register] = fullMask
	}
	for _, p := range e.params {
		w.written[p.register] = fullMask
	}
	for _, s := range e.specials {
		w.written[s.register] = fullMask
		for i := range warpSize {
			w.registers[s.register][i] = uint64(w.place(s.name, i))
		}
	}
	w.groups = append(w.groups[:0], group{0, w.all})
	w.waits = false
	clear(w.flights[:])
}

// place returns the value of a special register in a thread.
func (w *warp) place(name string, lane int) int {
	axis := int(name[len(name)-1] - 'x')
	switch name[:len(name)-2] {
	case "%ntid":
		return w.launch.Block[axis]
	case "%nctaid":
		return w.launch.Grid[axis]
	case "%ctaid":
		return w.block[axis]
	}
	return w.thread(lane)[axis]
}

// thread returns the place of a thread in its block.
func (w *warp) thread(lane int) [3]int {
	n, b := w.first+lane, w.launch.Block
	return [3]int{n % b[0], n / b[0] % b[1], n / b[0] / b[1]}
}

// fail returns an error of the first of some threads, at the instruction where the first group is.
func (w *warp) fail(mask uint32, format string, args ...any) error {
	in := &w.entry.code[w.groups[0].pc]
	return &Error{
		Line: in.line, Source: w.module.text(in), Block: w.block, Thread: w.thread(bits.TrailingZeros32(mask)),
		Reason: fmt.Sprintf(format, args...), running: true,
	}
}

// patience is after how many instructions a warp looks whether its launch is to end.
const patience = 1 << 12

// run runs until all threads wait at a barrier or ended.
func (w *warp) run() error {
	for steps := 1; len(w.groups) > 0 && !w.waits; steps++ {
		if steps%patience == 0 && w.ctx.Err() != nil {
			return w.ctx.Err()
		}
		if err := w.step(); err != nil {
			return err
		}
	}
	return nil
}

// step runs one instruction in the threads that are behind.
func (w *warp) step() error {
	g := &w.groups[0]
	if len(w.groups) > 1 && w.groups[1].pc == g.pc {
		g.mask |= w.groups[1].mask
		w.groups = slices.Delete(w.groups, 1, 2)
		return nil
	}

	in := &w.entry.code[g.pc]
	mask := g.mask
	if in.guard >= 0 {
		if missing := mask &^ w.written[in.guard]; missing != 0 {
			return w.fail(missing, "%s was never written", w.entry.names[in.guard])
		}
		mask &= w.truth(in)
	}

	switch in.op.form {
	case branches:
		w.branch(mask, in.target)
		return nil
	case exits:
		return w.exit(mask)
	case waits:
		if g.mask != w.all {
			return w.fail(g.mask, "a barrier that other threads of the warp do not reach with it")
		}
		w.waits = true
		return nil
	}

	if mask != 0 {
		if err := w.perform(in, mask); err != nil {
			return err
		}
	}
	g.pc++
	return nil
}

// truth returns the threads in which the predicate of an instruction lets it run.
func (w *warp) truth(in *instr) (mask uint32) {
	for i, v := range &w.registers[in.guard] {
		mask |= uint32(v) << i
	}
	if in.negated {
		mask = ^mask
	}
	return mask
}

// branch moves some threads of the first group to another place, and the others on.
func (w *warp) branch(mask uint32, to int) {
	g := &w.groups[0]
	if rest := g.mask &^ mask; rest != 0 {
		g.pc, g.mask = g.pc+1, rest
	} else {
		w.groups = slices.Delete(w.groups, 0, 1)
	}
	if mask == 0 {
		return
	}

	i, found := slices.BinarySearchFunc(w.groups, to, func(g group, to int) int { return g.pc - to })
	if found {
		w.groups[i].mask |= mask
		return
	}
	w.groups = slices.Insert(w.groups, i, group{to, mask})
}

// exit ends some threads of the first group.
func (w *warp) exit(mask uint32) error {
	for rest := mask; rest != 0; rest &= rest - 1 {
		if lane := bits.TrailingZeros32(rest); w.flights[lane].open() {
			return w.fail(rest, "the thread ends before it waited for its copies")
		}
	}
	g := &w.groups[0]
	if g.mask &^= mask; g.mask == 0 {
		w.groups = slices.Delete(w.groups, 0, 1)
	} else {
		g.pc++
	}
	return nil
}

// perform runs an instruction that neither branches nor waits.
func (w *warp) perform(in *instr, mask uint32) error {
	for _, r := range in.args {
		if missing := mask &^ w.written[r]; missing != 0 {
			return w.fail(missing, "%s was never written", w.entry.names[r])
		}
	}
	switch in.op.form {
	case computes:
		return w.compute(in, mask)
	case loads:
		return w.load(in, mask)
	case stores:
		return w.store(in, mask)
	case copies:
		return w.copy(in, mask)
	case commits:
		w.commit(mask)
		return nil
	}
	return w.collect(in, mask)
}

// compute sets a register in some threads.
func (w *warp) compute(in *instr, mask uint32) error {
	var args [3]*lanes
	for k, r := range in.args {
		args[k] = &w.registers[r]
	}
	if in.op.divides {
		for rest := mask; rest != 0; rest &= rest - 1 {
			if args[1][bits.TrailingZeros32(rest)] == 0 {
				return w.fail(rest, "a division by 0, which has no defined result")
			}
		}
	}

	d := &w.registers[in.dst[0]]
	w.written[in.dst[0]] |= mask
	if mask == fullMask {
		in.compute(d, args[0], args[1], args[2])
		return nil
	}

	var results lanes
	in.compute(&results, args[0], args[1], args[2])
	for rest := mask; rest != 0; rest &= rest - 1 {
		lane := bits.TrailingZeros32(rest)
		d[lane] = results[lane]
	}
	return nil
}
