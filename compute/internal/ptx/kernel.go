package ptx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/dtype"
)

// A Kernel is the code of a program: a module with one entry, named [Entry].
//
// Its parameters have 8 bytes each, in this order:
//
//   - the addresses of the inputs; those of packed ones are multiples of 16;
//   - the bits of the scalars, of which a complex128 takes two;
//   - the addresses of the outputs, likewise;
//   - the number of elements, at most [MaxElements];
//   - cols, if an operand is PerColumn or PerRow;
//   - if an operand is Strided, the lengths of all axes, the outermost first; then for each such
//     input, and for each such output, its strides in bytes in the same order.
//
// An output may be the same memory as an input of the same layout whose elements have its size.
type Kernel struct {
	Text      string
	PerThread int // elements that one thread computes
}

// MaxElements is how many elements a launch may have.
const MaxElements = 1<<31 - 1

// Entry is the name of the entry of every Kernel.
const Entry = "program"

// BlockThreads is the number of threads of a block of every Kernel.
const BlockThreads = 256

// Blocks returns the number of blocks for n elements.
func (k *Kernel) Blocks(n int) int {
	perBlock := BlockThreads * k.PerThread
	return (n + perBlock - 1) / perBlock
}

// An UnsupportedError says what keeps a program from being compiled.
type UnsupportedError struct{ What string }

// Error implements error.
func (e *UnsupportedError) Error() string { return "no GPU code for " + e.What }

// refuse ends the lowering of a program with an UnsupportedError.
func refuse(format string, args ...any) {
	panic(&UnsupportedError{fmt.Sprintf(format, args...)})
}

// Compile makes code for a program on operands of some layouts; nil if all are packed. It returns
// an UnsupportedError if there is none for it.
func Compile(p *jit.Program, l *Layouts) (k *Kernel, err error) {
	err = refusal(func() {
		if len(p.Folds) > 0 {
			refuse("outputs of a program with folds")
		}
		c := newCompiler(p, l)
		c.entry()
		k = &Kernel{Text: c.text(), PerThread: c.perThread}
	})
	return k, err
}

// refusal returns the UnsupportedError that ended a call, nil if none did.
func refusal(compile func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case *UnsupportedError:
			err = r
		default:
			panic(r)
		}
	}()
	compile()
	return nil
}

func newCompiler(p *jit.Program, l *Layouts) *compiler {
	l.check(len(p.Inputs), len(p.Outputs))
	c := &compiler{emitter: newEmitter(), program: p, layouts: l}
	c.perThread = c.vector()
	return c
}

// A compiler makes the code of one program.
type compiler struct {
	*emitter
	program   *jit.Program
	layouts   *Layouts
	shared    int // bytes of an array in shared memory
	perThread int
	scalars   []value
	full      string   // the predicate that all elements of a thread are there
	inside    []string // the predicates that each is
	present   bool     // whether all elements of all threads are there
	perLane   bool     // whether folds have a thread for each lane
	segment   *segment // of a fold whose inputs are strided, that which the block is at; else nil

	elementPlaces []place
}

// vectorBytes is what a thread reads or writes at once: 16 bytes of the widest operand.
const vectorBytes = 16

// vector returns the number of elements of a thread.
func (c *compiler) vector() int {
	widest := 1
	for _, t := range c.program.Inputs {
		widest = max(widest, t.Size())
	}
	for _, v := range c.program.Outputs {
		widest = max(widest, c.program.TypeOf(v).Size())
	}
	return vectorBytes / widest
}

// maxParameters is how many parameters of 8 bytes every driver takes.
const maxParameters = 4096 / 8

// text returns the module.
func (c *compiler) text() string {
	parameters := c.parameters()
	if n := len(parameters); n > maxParameters {
		refuse("programs with %d parameters: %d operands and constants at most", n, maxParameters)
	}

	var b strings.Builder
	b.WriteString(".version 7.0\n.target sm_70\n.address_size 64\n\n")
	tables := slices.SortedFunc(maps.Keys(c.tables), func(a, b Table) int { return strings.Compare(a.Name, b.Name) })
	for _, t := range tables {
		b.WriteString(t.Declaration())
	}

	fmt.Fprintf(&b, ".visible .entry %s(%s)\n.maxntid %d\n{\n", Entry, strings.Join(parameters, ", "), BlockThreads)
	if c.shared > 0 {
		fmt.Fprintf(&b, "\t.shared .align 16 .b8 elements[%d];\n", c.shared)
	}
	fmt.Fprintf(&b, "%s%s\tret;\n}\n", c.declarations(), c.code.String())
	return b.String()
}

// parameters declares the parameters of the entry.
func (c *compiler) parameters() (all []string) {
	add := func(format string, args ...any) { all = append(all, ".param .b64 "+fmt.Sprintf(format, args...)) }
	for k := range c.program.Inputs {
		add("in%d", k)
	}
	for k, t := range c.program.Scalars {
		for part := range partsIn8Bytes(t) {
			add("scalar%d_%d", k, part)
		}
	}
	for k := range c.program.Outputs {
		add("out%d", k)
	}
	for k := range c.program.Folds {
		add("sums%d", k)
		add("lost%d", k)
		if !c.perLane {
			add("lanes%d", k)
		}
	}
	if len(c.program.Folds) > 0 {
		add("boxes")
		add("segments")
	} else {
		add("n")
	}
	for _, name := range c.layoutParameters() {
		add("%s", name)
	}
	return all
}

// partsIn8Bytes returns how many parameters a scalar takes.
func partsIn8Bytes(t dtype.Type) int { return (t.Size() + 7) / 8 }
