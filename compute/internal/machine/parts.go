package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tstore/tstore/compute/internal/jit"
)

// A splitter makes parts of what a worker computes: of instructions that there is machine code for,
// and of others.
//
// Parts follow each other in stages: those of machine code have even numbers, kernels odd ones.
// What a stage needs is made in it or before it. Kernels run as early as they can, machine code as
// late, so that little is stored in between.
type splitter struct {
	*Worker
	native []bool // of each instruction, whether it is to be machine code
	stage  []int
	steps  []step // by kernels, of each instruction
}

// compileParts replaces the steps that there is machine code for, where there are enough of them
// side by side.
func (w *Worker) compileParts() {
	s := &splitter{Worker: w, native: make([]bool, len(w.program.instrs)), steps: make([]step, len(w.program.instrs))}
	for v := range s.native {
		i := &w.program.instrs[v]
		s.native[v] = w.computed(v) && jit.Supports(&jit.Op{Op: i.op, Operand: i.operand, Result: i.result})
	}

	// Kernels that take the place of a short piece of machine code join the stages around it:
	// arrange again until nothing is dropped.
	for s.arrange(); s.drop(); {
		s.arrange()
	}

	var scalars, expansions []step
	for _, step := range w.steps {
		switch {
		case w.slots[step.slot].scalar:
			scalars = append(scalars, step)
		case step.fn == nil:
			expansions = append(expansions, step)
		default:
			s.steps[step.slot] = step
		}
	}

	var steps []step
	for stage := range slices.Max(append(s.stage, 0)) + 1 {
		steps = append(steps, s.part(s.members(stage), stage%2 == 0)...)
	}

	if !slices.ContainsFunc(steps, func(s step) bool { return s.part != nil }) {
		return
	}

	// Leave out expansions that no kernel needs any more.
	expansions = slices.DeleteFunc(expansions, func(e step) bool {
		return !slices.ContainsFunc(steps, func(s step) bool { return slices.Contains(s.args[:], e.slot) })
	})

	w.steps = slices.Concat(scalars, expansions, steps)
	// A part stores its outputs itself. Its inputs stay until the whole part has run, so that their
	// registers are not used again within it.
	for i := range w.steps {
		if n := w.steps[i].part; n != nil {
			w.stores = slices.DeleteFunc(w.stores, func(s store) bool { return n.makes(s.output) })
			for _, v := range n.inputs {
				w.slots[v].shared = true
			}
		}
	}
}

// arrange puts each instruction in its stage.
func (s *splitter) arrange() {
	s.stage = make([]int, len(s.native))
	last := 0

	for v := range s.stage {
		if !s.computed(v) {
			continue
		}
		// Stages of machine code are even, those of kernels odd. An instruction goes into the first
		// stage of its own parity that is not before those of its operands.
		stage := 1
		if s.native[v] {
			stage = 0
		}
		i := &s.program.instrs[v]
		for _, arg := range i.args[:i.numArgs()] {
			if s.computed(int(arg)) {
				stage = max(stage, s.stage[arg]+(stage+s.stage[arg])%2)
			}
		}

		s.stage[v] = stage
		last = max(last, stage)
	}

	s.delay(last + last%2)
}

// delay puts off machine code to the last stage in which it is needed.
func (s *splitter) delay(last int) {
	latest := make([]int, len(s.native))
	for v := range latest {
		latest[v] = last
	}

	// Uses come after the values they use. So a walk backwards sees all uses of a value before the
	// value.
	for v := len(s.native) - 1; v >= 0; v-- {
		if !s.computed(v) {
			continue
		}

		if s.native[v] {
			s.stage[v] = latest[v]
		}

		i := &s.program.instrs[v]
		for _, arg := range i.args[:i.numArgs()] {
			latest[arg] = min(latest[arg], s.stage[v]-s.stage[v]%2)
		}
	}
}

// members lists the instructions of a stage.
func (s *splitter) members(stage int) []int {
	var members []int
	for v := range s.stage {
		if s.computed(v) && s.stage[v] == stage {
			members = append(members, v)
		}
	}
	return members
}

// drop leaves stages to kernels in which there is too little for machine code, and reports whether
// there are some.
func (s *splitter) drop() (some bool) {
	for stage := 0; stage <= slices.Max(append(s.stage, 0)); stage += 2 {
		if members := s.members(stage); len(members) < s.leastSteps() {
			for _, v := range members {
				s.native[v], some = false, true
			}
		}
	}
	return some
}

// part returns the steps of instructions: one of machine code, if that is asked for, or those of
// both halves where it can't be one.
func (s *splitter) part(members []int, native bool) []step {
	switch {
	case len(members) == 0:
		return nil
	case !native:
		var steps []step
		for _, v := range members {
			steps = append(steps, s.steps[v])
		}
		return steps
	}

	is := make([]bool, len(s.native))
	for _, v := range members {
		is[v] = true
	}

	n, err := s.nativeOf(true, func(v int) bool { return is[v] })
	if err == nil {
		return []step{{part: n, slot: -1, args: noArgs, output: -1}}
	}

	if len(members) == 1 {
		return s.part(members, false)
	}

	// Two halves have fewer operands and need fewer registers each.
	cut := s.cut(members)
	return append(s.part(members[:cut], true), s.part(members[cut:], true)...)
}

// cut returns where to cut instructions in two: near the middle, where the fewest values are needed
// on the other side.
func (s *splitter) cut(members []int) int {
	last := map[int]int{} // the place of the last instruction that needs the value of each

	for k, v := range members {
		i := &s.program.instrs[v]
		for _, arg := range i.args[:i.numArgs()] {
			last[int(arg)] = k
		}
	}

	best, fewest := len(members)/2, len(members)
	for cut := max(1, len(members)/4); cut <= len(members)*3/4; cut++ {
		crossing := 0
		for _, v := range members[:cut] {
			if last[v] >= cut {
				crossing++
			}
		}

		if crossing < fewest {
			best, fewest = cut, crossing
		}
	}

	return best
}

// partsBackend is Backend of a worker that has code for parts, "" of others.
func (w *Worker) partsBackend() string {
	var sizes []string
	kernels := 0
	for i := range w.steps {
		switch s := &w.steps[i]; {
		case s.part != nil:
			sizes = append(sizes, strconv.Itoa(s.part.code.Size()))
		case s.fn != nil && !w.slots[s.slot].scalar:
			kernels++
		}
	}
	if len(sizes) == 0 {
		return ""
	}
	return fmt.Sprintf("%s bytes of machine code for %s, %d of %d operations by kernels: %s",
		strings.Join(sizes, " + "), jit.ISA(), kernels, w.program.NumOperations(), w.reason)
}
