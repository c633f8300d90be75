package machine

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// compile turns the instructions into loads, steps and stores. Each worker does so for itself,
// because the layouts of its inputs decide which values are one for a whole block.
func (w *Worker) compile() {
	p := w.program

	w.slots = make([]slot, len(p.instrs), 2*len(p.instrs))

	for v := range p.instrs {
		i := &p.instrs[v]
		w.slots[v] = newSlot(i.result)
		switch i.kind {
		case input:
			in := &w.inputs[i.input]
			w.slots[v].scalar = in.Inner == 0 && in.Outer == 0
			w.loads = append(w.loads, load{input: i.input, slot: v})
		case constant:
			s := &w.slots[v]
			s.scalar = true
			s.ptr = w.memory(s)
			i.scalar.Store(unsafe.Slice((*byte)(s.ptr), s.elemSize))
		default:
			w.addStep(v, i)
		}
	}

	// Stores come before machine code, which makes some of them needless. Registers come last: what
	// has become machine code needs none.
	w.addStores()
	w.compileNative()
	w.allocate()
}

func newSlot(t dtype.Type) slot {
	s := slot{elemSize: t.Size(), align: t.Size(), register: -1}
	if t.Kind() == dtype.KindComplex {
		s.align /= 2
	}
	return s
}

// addStep adds the kernel of an instruction, and the expansion of scalars that it takes as vectors
// only.
func (w *Worker) addStep(v int, i *instr) {
	s := step{slot: v, output: -1, args: noArgs}
	var form kernel.Form

	args := w.exchanged(i)
	for k, arg := range args[:i.numArgs()] {
		s.args[k] = int(arg)
		if w.slots[arg].scalar {
			form |= 1 << k
		}
	}

	if w.slots[v].scalar = bits.OnesCount8(uint8(form)) == i.numArgs(); w.slots[v].scalar {
		form = 0
	}

	have := nearestForm(i, form)
	// Operands that the kernel takes only as vectors are expanded.
	for k := range i.numArgs() {
		if (form&^have)>>k&1 == 1 {
			s.args[k] = w.expanded(s.args[k])
		}
	}

	s.fn = function(i, have)
	w.steps = append(w.steps, s)
}

// exchanged returns the operands of i with scalars last, if the operation allows exchanging them.
func (w *Worker) exchanged(i *instr) [maxArgs]Value {
	args := i.args
	if i.kind != apply {
		return args
	}
	if i.op.Exchangeable() && w.slots[args[0]].scalar {
		args[0], args[1] = args[1], args[0]
	}
	return args
}

// nearestForm returns the form with the most scalars among those of form that there is a kernel
// for.
func nearestForm(i *instr, form kernel.Form) kernel.Form {
	best := kernel.Form(0)
	// (sub - 1) & form is the next smaller subset of the bits of form: this visits all of them.
	for sub := form; sub != 0; sub = (sub - 1) & form {
		if bits.OnesCount8(uint8(sub)) > bits.OnesCount8(uint8(best)) && function(i, sub) != nil {
			best = sub
		}
	}
	return best
}

// expanded returns the slot with a scalar repeated, which may be there already.
func (w *Worker) expanded(scalar int) int {
	for i := range w.steps {
		if s := &w.steps[i]; s.fn == nil && s.args[0] == scalar {
			return s.slot
		}
	}
	s := w.slots[scalar]
	s.scalar, s.own, s.register = false, nil, -1
	w.slots = append(w.slots, s)
	slot := len(w.slots) - 1
	once := w.program.instrs[scalar].kind == constant
	w.steps = append(w.steps, step{slot: slot, args: [maxArgs]int{scalar, -1, -1}, once: once, output: -1})
	return slot
}

// addStores makes the last step write to the output of its value, and adds copies for the other
// outputs.
func (w *Worker) addStores() {
	uses, makers := w.countUses()
	for output, v := range w.program.outputs {
		if w.targets[output].Base == nil {
			continue
		}

		if at := makers[v]; at >= 0 && uses[v] == 1 && !w.slots[v].scalar { // its only use is to be stored
			w.steps[at].output = output
			continue
		}

		t, form := w.program.instrs[v].result, kernel.Form(0)
		if w.slots[v].scalar {
			form = kernel.ScalarVector
		}
		s := store{output: output, slot: int(v), fn: kernel.Lookup(kernel.Copy, t, form)}
		if w.targets[output].Stream {
			s.stream = kernel.StreamCopy(t.Size(), form)
		}

		w.stores = append(w.stores, s)
	}
}

// countUses returns how often each value is an operand of a step or an output, and the step that
// makes it, or -1.
func (w *Worker) countUses() (uses, makers []int) {
	uses, makers = make([]int, len(w.slots)), make([]int, len(w.slots))
	for v := range makers {
		makers[v] = -1
	}

	for _, output := range w.program.outputs {
		uses[output]++
	}

	for i := range w.steps {
		s := &w.steps[i]
		if s.fn != nil {
			makers[s.slot] = i
		}
		for _, arg := range s.args {
			if arg >= 0 {
				uses[arg]++
			}
		}
	}

	return uses, makers
}

// allocate gives registers to the values of steps. A register is free after the last use of its
// value; the step of that use may already write to it if its elements are not larger.
func (w *Worker) allocate() {
	last := w.lastUses()

	var free []int
	count := 0
	for i := range w.steps {
		if w.steps[i].part != nil || w.steps[i].once {
			continue
		}

		out := &w.slots[w.steps[i].slot]
		if out.scalar || out.shared {
			continue
		}

		// Prefer the register of an operand that this step uses last.
		freed := w.freed(i, last)
		for k, slot := range freed {
			if w.slots[slot].elemSize >= out.elemSize {
				out.register = w.slots[slot].register
				freed = slices.Delete(freed, k, k+1)
				break
			}
		}

		switch {
		case out.register >= 0:
		case len(free) > 0:
			out.register, free = free[len(free)-1], free[:len(free)-1]
		default:
			out.register = count
			count++
		}

		for _, slot := range freed {
			free = append(free, w.slots[slot].register)
		}
	}

	w.pool = make([]register, count)
}

// freed lists the slots whose registers are free after step i, each once.
func (w *Worker) freed(i int, last []int) []int {
	var freed []int
	for _, arg := range w.steps[i].args {
		if arg >= 0 && last[arg] == i && w.slots[arg].register >= 0 {
			last[arg] = -1
			freed = append(freed, arg)
		}
	}
	return freed
}

// lastUses returns the last step that uses each slot; those of outputs stay in use.
func (w *Worker) lastUses() []int {
	last := make([]int, len(w.slots))
	for i := range w.steps {
		for _, arg := range w.steps[i].args {
			if arg >= 0 {
				last[arg] = i
			}
		}
	}
	for _, v := range w.program.outputs {
		last[v] = len(w.steps)
	}
	return last
}
