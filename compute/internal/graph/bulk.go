package graph

import (
	"strings"

	"github.com/tstore/tstore/view"
)

// A Bulk is work on whole arrays, whose elements are in memory or in mapped files, in any layout:
// ranks, sorting, windows.
type Bulk interface {
	// String says what is done, with all arguments that tell it apart from other work on the same
	// operands.
	String() string
	// Memory predicts the bytes that it takes beside the operands and the result.
	Memory(n *Node, l *Limits) int64
}

// BulkNode returns the node of some work.
func (b *Builder) BulkNode(n Node) *Node {
	n.Kind = NodeBulk
	return b.Add(n, n.Bulk.String()+ShapeKey(n.Shape))
}

// Relocating is a step that moves parts of an array, such as roll.
type Relocating struct {
	Step view.Step
}

// String implements bulk.
func (k *Relocating) String() string { return strings.TrimPrefix(view.Chain{k.Step}.String(), ".") }

// Memory implements bulk.
func (k *Relocating) Memory(*Node, *Limits) int64 { return 0 }

// WorkersFor returns how many workers a bulk may have: as many as the memory limit has room for,
// but one at least.
func (o *Limits) WorkersFor(n *Node) int {
	few := *o
	for few.Parallelism > 1 && n.Bulk.Memory(n, &few) > o.MemoryLimit {
		few.Parallelism--
	}
	return few.Parallelism
}

// BulkMemory predicts the bytes that a bulk takes with the workers it may have.
func (o *Limits) BulkMemory(n *Node) int64 {
	few := *o
	few.Parallelism = o.WorkersFor(n)
	return n.Bulk.Memory(n, &few)
}
