package pass

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/tstore/tstore/compute/internal/graph"
)

// A Checkpoint is how far a plan has been run, so that another run, of another process too, can go
// on from there. The zero checkpoint is the beginning.
type Checkpoint struct {
	Plan  uint64 // tells plans apart
	Pass  int    // passes before this one are done
	Done  int    // of this pass: elements, or chunks of work
	Of    int    // how many there are
	Grain int    // what chunks depend on beside the plan, such as the tiles of a product
	State []byte // what chunks that are done have come to, and that is not among the results yet; may be nil
	Bytes int64  // of results that are done
}

// Checkpoints say when a run tells how far it is, and whom. Both functions are called by the
// goroutine that runs the plan, while no other one works.
type Checkpoints struct {
	// Span returns the number of bytes to be read and stored, about, until the next call of
	// Reached.
	Span func() int64
	// Reached is called when all that comes before at is done, and nothing behind it is needed any
	// more. Since the last call elements of these statements may have been stored. An error ends
	// the run, and is returned as it is.
	Reached func(at Checkpoint, statements []int) error
}

// fingerprint returns a number that differs for plans with different passes.
func (p *Plan) fingerprint() uint64 {
	h := fnv.New64a()
	for _, pr := range p.passes {
		fmt.Fprint(h, "pass", pr.shape, pr.stores)
		for _, i := range pr.stores {
			fmt.Fprint(h, "store", p.statement(i).DType, p.statement(i).Stored.Shape)
		}

		// What is kept counts with all that tells it apart, and with where it goes.
		for _, n := range pr.keeps {
			fmt.Fprint(h, "keep", n.Kind, n.Op, n.DType, n.Shape, n.Reduce.Op, n.Reduce.Axes, n.NumBins, n.Edges)
			if n.Bulk != nil {
				fmt.Fprint(h, n.Bulk.String())
			}
			for _, a := range n.Args {
				fmt.Fprint(h, a.DType, a.Shape)
			}
			statement, direct := p.direct[n]
			fmt.Fprint(h, direct, statement)
		}
	}
	return h.Sum64()
}

// stored returns the statements whose elements a pass stores.
func (p *Plan) stored(pr *passRun) []int {
	all := slices.Clone(pr.stores)
	for _, n := range pr.keeps {
		if i, ok := p.direct[n]; ok {
			all = append(all, i)
		}
	}
	return all
}

// resultBytes returns the bytes of the results that a pass stores.
func (p *Plan) resultBytes(pr *passRun) int64 {
	var n int64
	for _, i := range p.stored(pr) {
		st := p.statement(i)
		n += int64(graph.NumElems(st.Value.Shape)) * int64(st.DType.Size())
	}
	return n
}

// What takes about as long as storing a byte: reading some, and some products of numbers.
const (
	readsPerByte    = 16
	productsPerByte = 256
)

// WorkBytes returns the bytes of the results, or, if that is more, of results that would take about
// as long.
func (p *Plan) WorkBytes() int64 {
	var results, work int64
	for _, pr := range p.passes {
		n := p.resultBytes(pr)
		results += n
		switch {
		case n == 0:
		case len(pr.keeps) > 0 && pr.keeps[0].Kind == graph.NodeMatmul:
			a := pr.keeps[0].Args[0].Shape
			work += n + int64(graph.NumElems(pr.keeps[0].Shape))*int64(a[len(a)-1])/productsPerByte
		default:
			work += n + pr.bytes()/readsPerByte
		}
	}
	return max(results, work)
}

// IsResumable reports whether there are checkpoints between the beginning and the end of a run from
// which less work remains than the whole. That is so if several passes make results, or if elements
// are computed where they are asked for. Elements of a result that is computed as a whole, such as
// running sums, are only copied.
func (p *Plan) IsResumable() bool {
	passes := 0
	for _, pr := range p.passes {
		if p.resultBytes(pr) > 0 {
			passes++
		}
		for _, i := range pr.stores {
			if !isPartOfKept(p.program.Statements[i].Stored) {
				return true
			}
		}
		if p.inSteps(pr) {
			return true
		}
	}
	return passes > 1
}

// inSteps reports whether another run can go on within a pass that is not element-wise: one of
// reductions, scans, products or moves. All its results must go to statements.
func (p *Plan) inSteps(pr *passRun) bool {
	for _, n := range pr.keeps {
		if _, direct := p.direct[n]; !direct || !hasSteps(n) {
			return false
		}
	}
	return len(pr.keeps) > 0 && len(pr.stores) == 0
}

// hasSteps reports whether n is computed in steps that are done one after the other.
func hasSteps(n *graph.Node) bool {
	switch n.Kind {
	case graph.NodeReduce, graph.NodeScan, graph.NodeMatmul:
		return true
	case graph.NodeBulk:
		_, ok := n.Bulk.(*graph.Relocating)
		return ok
	}
	return false
}

// isPartOfKept reports whether n is a kept node, or a view of one.
func isPartOfKept(n *graph.Node) bool {
	for n.Kind == graph.NodeView {
		n = n.Args[0]
	}
	return n.IsKept()
}

// leftovers returns the passes before from that run again if a run resumes there: later passes read
// what they keep, and no statement has it.
func (p *Plan) leftovers(from int) []bool {
	by := map[*graph.Node]int{}
	for i, pr := range p.passes {
		for _, n := range pr.keeps {
			by[n] = i
		}
	}

	// need marks the passes that one pass reads from, and those that they need.
	again := make([]bool, from)
	var need func(pass int)
	need = func(pass int) {
		seen := map[*graph.Node]bool{}
		var visit func(n *graph.Node)
		visit = func(n *graph.Node) {
			if seen[n] {
				return
			}
			seen[n] = true

			// A node that an earlier pass kept ends the walk: it is read, not computed. If no
			// statement has its elements, its pass runs again.
			if at, kept := by[n]; kept && at < pass {
				if _, direct := p.direct[n]; !direct && at < from && !again[at] {
					again[at] = true
					need(at)
				}
				return
			}
			for _, a := range n.Args {
				visit(a)
			}
		}

		for _, i := range p.passes[pass].stores {
			visit(p.program.Statements[i].Stored)
		}
		for _, n := range p.passes[pass].keeps {
			visit(n)
		}
	}

	// All that are still to run need theirs.
	for pass := from; pass < len(p.passes); pass++ {
		need(pass)
	}

	return again
}
