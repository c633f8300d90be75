package ptxvm

// A Module is a text that was read. It is immutable and safe for concurrent use.
type Module struct {
	device  *Device
	lines   []string
	version [2]int // of PTX
	target  int    // the least compute capability, 70 for sm_70
	consts  memory // the const variables; only data
	tables  []*Buffer
	entries map[string]*entry
}

// An entry is a kernel.
type entry struct {
	params     []param
	maxThreads int // of a block
	code       []instr
	registers  []kind // of each register, by number
	names      []string
	constants  []constant
	specials   []special
	shared     int // bytes of arrays in shared memory
}

// A param is a parameter of an entry. Its value is in a register that nothing writes.
type param struct {
	name     string
	kind     kind
	register int
}

// A constant is a register that nothing writes and that is the same in all threads.
type constant struct {
	register int
	value    uint64
}

// A special is a register that has a thread's place in the grid.
type special struct {
	register int
	name     string
}

// Limits of what an entry may have, which are those of devices.
const (
	maxThreads   = 1024
	maxShared    = 48 << 10  // that a text may declare
	maxDynamic   = 227 << 10 // with what a launch adds
	maxConst     = 64 << 10
	maxTable     = 64 << 20 // of all global variables of a module
	maxRegisters = 1 << 16
)

// Addresses of shared and const memory begin here, so that those of another space, and small
// numbers, belong to neither.
const (
	sharedBase  = 1 << 24 // arrays that the text declares
	dynamicBase = 2 << 24 // what a launch adds
	constBase   = 3 << 24
)

// Entries returns the names of the entries of m, in no order.
func (m *Module) Entries() []string {
	var names []string
	for name := range m.entries {
		names = append(names, name)
	}
	return names
}

// Params returns the bytes of each parameter of an entry, and whether m has that entry.
func (m *Module) Params(name string) (bytes []int, ok bool) {
	e := m.entries[name]
	if e == nil {
		return nil, false
	}
	for _, p := range e.params {
		bytes = append(bytes, p.kind.bytes())
	}
	return bytes, true
}

// Target returns the least compute capability that m is for, 70 for sm_70.
func (m *Module) Target() int { return m.target }

// Unload frees the tables of m. It must not be launched any more.
func (m *Module) Unload() {
	for _, b := range m.tables {
		b.Free()
	}
}
