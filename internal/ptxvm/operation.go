package ptxvm

// A form is how an instruction is run.
type form uint8

const (
	computes form = iota
	loads
	stores
	branches
	exits
	waits    // at a barrier
	copies   // cp.async
	commits  // a group of copies
	collects // waits for groups of copies
)

// An operation is an instruction with all its modifiers.
type operation struct {
	form   form
	target int // the least capability that has it
	parse  func(b *body, in *instr)

	compute  alu  // of computes
	result   kind // of it
	operands []kind
	divides  bool // by its last operand

	space string // of loads, stores and copies
	kind  kind   // of what they move
	elems int    // how many registers they move
	sizes []int  // of copies: how many bytes there may be
}

// lanes are the values of a register in the threads of a warp, in the low bits. Those above are 0.
type lanes [warpSize]uint64

// An alu computes the values of all threads of a warp. It must not mind values that make no sense:
// those of threads that do not take part are not used.
type alu func(d, a, b, c *lanes)

// operations is the table of instructions.
var operations = newOperations()

func newOperations() map[string]*operation {
	t := table{}
	t.addMoves()
	t.addIntegers()
	t.addBits()
	t.addFloats()
	t.addComparisons()
	t.addConversions()
	t.addMemory()
	t.addControl()
	return t
}

// A table holds operations by their names.
type table map[string]*operation

// add adds an instruction that computes a result from operands.
func (t table) add(name string, compute alu, result kind, operands ...kind) {
	t[name] = &operation{compute: compute, result: result, operands: operands, parse: parseCompute}
}

// parseCompute reads a result and operands of the same types as in the table.
func parseCompute(b *body, in *instr) {
	in.dst = []int{b.result(in.op.result, false)}
	for _, k := range in.op.operands {
		b.want(",")
		in.args = append(in.args, b.use(k, false))
	}
}

// map1 returns an alu that computes each lane.
func map1(f func(a uint64) uint64) alu {
	return func(d, a, _, _ *lanes) {
		for i := range d {
			d[i] = f(a[i])
		}
	}
}

func map2(f func(a, b uint64) uint64) alu {
	return func(d, a, b, _ *lanes) {
		for i := range d {
			d[i] = f(a[i], b[i])
		}
	}
}

func map3(f func(a, b, c uint64) uint64) alu {
	return func(d, a, b, c *lanes) {
		for i := range d {
			d[i] = f(a[i], b[i], c[i])
		}
	}
}
