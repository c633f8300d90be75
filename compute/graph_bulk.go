package compute

import (
	"strings"

	"github.com/tstore/tstore/view"
)

// A bulk is work on whole arrays, whose elements are in memory or in mapped files, in any layout: ranks, sorting, windows.
type bulk interface {
	// String says what is done, with all arguments that tell it apart from other work on the same operands.
	String() string
	// Memory predicts the bytes that it takes beside the operands and the result.
	Memory(n *node, l *limits) int64
}

// bulkNode returns the node of some work.
func (b *builder) bulkNode(n node) *node {
	n.kind = nodeBulk
	return b.add(n, n.bulk.String()+shapeKey(n.shape))
}

// relocating is a step that moves parts of an array to other places, such as roll.
type relocating struct {
	step view.Step
}

// String implements bulk.
func (k *relocating) String() string { return strings.TrimPrefix(view.Chain{k.step}.String(), ".") }

// picking is the elements that arrays of indexes pick of an array, stretched to a shape first. Its operands are the array and
// then the arrays of indexes.
type picking struct {
	items view.Fancy
	at    []int // of the items, those that are arrays
	from  []int
	made  bool // whether an array of indexes is computed, and so was not checked before
}

// String implements bulk.
func (k *picking) String() string { return "pick [" + k.items.String() + "]" }

// pickBytes is the memory that one worker takes for places.
const pickBytes = 1 << 20

// Memory implements bulk.
func (k *relocating) Memory(*node, *limits) int64 { return 0 }

// Memory implements bulk.
func (k *picking) Memory(_ *node, l *limits) int64 { return int64(l.Parallelism) * pickBytes }

// workersFor returns how many workers a bulk may have: as many as the memory limit has room for, but one at least.
func (o *limits) workersFor(n *node) int {
	few := *o
	for few.Parallelism > 1 && n.bulk.Memory(n, &few) > o.MemoryLimit {
		few.Parallelism--
	}
	return few.Parallelism
}

// bulkMemory predicts the bytes that a bulk takes with the workers it may have.
func (o *limits) bulkMemory(n *node) int64 {
	few := *o
	few.Parallelism = o.workersFor(n)
	return n.bulk.Memory(n, &few)
}
