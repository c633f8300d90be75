package jit

// The masks that values may be in: all but the one of whole loads and stores and 0, which stands
// for no mask.
const (
	numMasks  = 6
	laneMask  = 7
	firstMask = 1
)

// An allocation says in which register each node is, counted from 0 for each kind, and how many are
// taken at once.
type allocation struct {
	registers      []int // -1 for what needs none
	vectors, masks int
}

// allocate gives registers to nodes in the order they are computed in. The result of a node may be
// in the register of an operand that has its last use there.
func allocate(nodes []node, outputs []int) *allocation {
	a := &allocation{registers: make([]int, len(nodes))}
	last := lastUses(nodes, outputs)

	var vectors, masks pool
	for i := range nodes {
		n := &nodes[i]
		a.registers[i] = -1
		if n.do.form == formScalar || n.do.form == formRow {
			continue
		}

		// Free the registers of operands first: the result may take one of them.
		for _, arg := range n.args {
			if arg < 0 || last[arg] != i || a.registers[arg] < 0 {
				continue
			}
			last[arg] = -1 // an operand may be given twice
			if nodes[arg].size == 0 {
				masks.give(a.registers[arg])
			} else {
				vectors.give(a.registers[arg])
			}
		}

		if n.size == 0 {
			a.registers[i] = masks.take()
		} else {
			a.registers[i] = vectors.take()
		}
	}

	a.vectors, a.masks = vectors.most, masks.most
	return a
}

// lastUses returns the last node that uses each; those of outputs are used to the end.
func lastUses(nodes []node, outputs []int) []int {
	last := make([]int, len(nodes))
	for i := range nodes {
		last[i] = i
		for _, arg := range nodes[i].args {
			if arg >= 0 {
				last[arg] = i
			}
		}
	}
	for _, v := range outputs {
		last[v] = len(nodes)
	}
	return last
}

// A pool hands out the lowest register that is free.
type pool struct {
	taken uint64
	most  int
}

func (p *pool) take() int {
	for r := range 64 {
		if p.taken>>r&1 == 0 {
			p.taken |= 1 << r
			p.most = max(p.most, r+1)
			return r
		}
	}
	refuse("more values at once than there are registers")
	return -1
}

func (p *pool) give(r int) { p.taken &^= 1 << r }

// copies returns how many vectors of each value fit in the registers, a power of two up to 4:
// instructions on different vectors need not wait for each other.
func (a *allocation) copies(isa *instructionSet) int {
	n := 4
	for n > 0 && (n*a.vectors > isa.vectors || n*a.masks > numMasks) {
		n /= 2
	}
	if n == 0 {
		refuse("more values at once than there are registers")
	}
	return n
}
