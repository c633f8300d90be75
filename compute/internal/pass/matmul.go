package pass

import (
	"cmp"
	"fmt"
	"strings"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// matmul computes the products of a node, and keeps them.
func (r *run) matmul(pr *passRun) error {
	n := pr.keeps[0]
	out, err := r.keep(n)
	if err != nil || out.NumElems() == 0 {
		return err
	}

	// The matrices are the last two axes of all operands; those before them are a batch.
	m := memories.Get().(*Memory)
	m.engine = r.plan.opts.Engine
	defer m.Close()
	s := gemm.Spec{Workers: r.plan.opts.Parallelism, Buffers: r.plan.opts.MemoryLimit / 2}
	rank := len(n.Shape)
	s.Batch, s.M, s.N, s.K = n.Shape[:rank-2], n.Shape[rank-2], n.Shape[rank-1], n.Args[0].Shape[len(n.Args[0].Shape)-1]

	// Operands that lie in files are followed there.
	var files [3]*matrixFile
	for i, operand := range []*gemm.Operand{&s.A, &s.B, &s.C} {
		t, l := out, out.Layout()
		if i < 2 {
			if t, l, err = r.factor(n.Args[i]); err != nil {
				return err
			}
		}

		if *operand, err = m.matrices(t, l, s.Batch); err != nil {
			return err
		}
		if t.Storage().FileBacked() {
			files[i] = &matrixFile{Operand: *operand, storage: t.Storage(), start: l.Offset() * t.DType().Size(), sizes: s.Batch}
		}

		if i < 2 {
			if err := r.addRuns(m, n, i, operand, files[i]); err != nil {
				return err
			}
		}
	}

	// A result that goes to a file may stay on the device, too.
	if there := r.plan.staying.made[n]; there != nil && there != out {
		if s.Also, err = m.matrices(there, there.Layout(), s.Batch); err != nil {
			return err
		}
	}

	// The result is written back on the way only if not all fits in memory.
	if m.Bytes <= r.plan.opts.MemoryLimit || !out.Storage().FileBacked() {
		files[2] = nil
	}

	s.Grain = r.grain()
	return r.multiply(pr, m, s, files)
}

// followBytes is the size of a product from which on it is followed through files.
const followBytes = 4 << 20

// multiply runs a product. If a device fails that need not multiply, the CPU does it from the
// beginning: operands are never stored to.
func (r *run) multiply(pr *passRun, m *Memory, s gemm.Spec, files [3]*matrixFile) error {
	if pr.choice = nil; r.chooses() && !m.onDevice {
		r.choice = r.plan.opts.Engine.ChooseProduct(r.ctx, s)
		pr.choice = r.choice
	}
	err := r.follow(pr, m, s, files)
	if !r.goesOn(m, err) {
		return err
	}
	r.done.Store(0)
	return r.follow(pr, m, s, files)
}

// follow runs a product, and follows it through those of its operands that lie in files.
func (r *run) follow(pr *passRun, m *Memory, s gemm.Spec, files [3]*matrixFile) error {
	if m.Bytes < followBytes || files == [3]*matrixFile{} {
		return r.tiles(pr, m, s)
	}
	memory := int64(0)
	if limit := r.plan.opts.MemoryLimit; m.Bytes > limit {
		memory, s.Buffers = limit/graph.AheadShare, limit/graph.MatmulShare
	}
	span := tellingSpan
	if e := r.engine(m); e != nil {
		span = e.TellingSpan()
	}
	follow := startProductStream(files[0], files[1], files[2], gemm.RunElems(s.C.Type), memory, span)
	s.Next, s.Last, s.Spill = follow.ahead, follow.done, files[2] != nil
	err := r.tiles(pr, m, s)
	return cmp.Or(err, follow.close())
}

// tiles runs a product.
func (r *run) tiles(pr *passRun, m *Memory, s gemm.Spec) error {
	job, err := r.product(m, s)
	if err != nil {
		return err
	}
	unit := job.Unit()
	of := job.NumChunks() / unit
	begin := r.resumes(pr, of, job.Grain(), func(_ []byte, units int) bool { job.Skip(units); return true })
	err = r.steps(pr, &steps{Memory: m, Chunked: job, of: of, unit: unit, grain: job.Grain()}, begin)
	return cmp.Or(err, job.Close())
}

// product returns the job of a product: one on the device if there is something to multiply.
func (r *run) product(m *Memory, s gemm.Spec) (matmulJob, error) {
	if e := r.engine(m); e != nil && s.K > 0 {
		job, err := e.NewProduct(r.ctx, s)
		if err == nil {
			return matmulJob{job, job.Workers()}, nil
		}
		if err := r.unloaded(m, err); err != nil {
			return matmulJob{}, err
		}
	}
	return matmulJob{gemm.New(s), r.Workers()}, nil
}

// factor returns where the elements of an operand of a product are.
func (r *run) factor(n *graph.Node) (*view.Tensor, view.Layout, error) {
	if n.Kind != graph.NodeView {
		t := r.memoryOf(n)
		return t, t.Layout(), nil
	}
	t := r.memoryOf(n.Args[0])
	l, err := view.MakeLayout(n.Layout.Shape(), n.Layout.Strides(), t.Offset()+n.Layout.Offset())
	return t, l, err
}

// matrices pins the elements of t in layout l. It returns them as a batch of matrices, whose batch
// axes are broadcast to sizes.
func (m *Memory) matrices(t *view.Tensor, l view.Layout, sizes []int) (gemm.Operand, error) {
	o, err := m.tensor(t, l)
	if err != nil {
		return gemm.Operand{}, err
	}
	base := o.Base
	if base == nil && o.Address == 0 {
		base = unsafe.Pointer(&nothing)
	}

	// Axes of size 1 stretch: their stride is 0.
	size, rank := t.DType().Size(), l.Rank()
	made := gemm.Operand{Base: base, Address: o.Address, Type: t.DType(), Row: l.Stride(rank-2) * size, Col: l.Stride(rank-1) * size, Batch: make([]int, len(sizes))}
	for axis := range rank - 2 {
		if l.Dim(axis) > 1 {
			made.Batch[len(sizes)-(rank-2)+axis] = l.Stride(axis) * size
		}
	}
	return made, nil
}

// nothing is where the elements of an operand without elements are.
var nothing [16]byte

// A matmulJob is a product as a pass runs it.
type matmulJob struct {
	gemm.Job
	workers int
}

// Workers implements crewed.
func (j matmulJob) Workers() int { return j.workers }

// Extent implements chunked: products read ahead by themselves.
func (matmulJob) Extent(_, _ int) (lo, hi int) { return 0, 0 }

// explainMatmul writes what a product reads and how it is computed.
func (p *Plan) explainMatmul(text *strings.Builder, pr *passRun, quote func(string) string) {
	n := pr.keeps[0]
	for i, a := range n.Args[:2] {
		of := a
		for of.Kind == graph.NodeView {
			of = of.Args[0]
		}
		fmt.Fprintf(text, "  reads:  %s%s %v %s, %s\n", a.Title(quote), p.placeOf(of), a.DType, syntax.FormatShape(a.Shape), graph.FormatBytes(int64(graph.NumElems(a.Shape)*a.DType.Size())))
		if runs := n.Runs(i); runs != nil {
			fmt.Fprintf(text, "          from scratch, in runs of %d along k: tiles read one stretch of each run\n", runs.Shape[2])
		}
	}
	reg, code := gemm.Register(n.DType), "tiles of registers of "+gemm.Tile(n.DType)
	if e := p.opts.Engine; e != nil && graph.NumElems(n.Shape) > 0 && graph.NumElems(n.Args[0].Shape) > 0 {
		if what := e.ExplainProduct(reg); e.Auto == nil || p.hasResident(pr) {
			code = what
		} else {
			code += ", or " + what
		}
	}
	fmt.Fprintf(text, "  products in %v, sums in runs of %d, %s\n", reg, gemm.RunLength(n.DType), code)
	if pr.choice != nil {
		fmt.Fprintf(text, "  device: %v\n", pr.choice)
	}
}

// matmulCost returns the bytes of the operands of a product, and of its buffers.
func (p *Plan) matmulCost(n *graph.Node) (read, memory int64) {
	for _, a := range n.Args[:2] {
		read += int64(graph.NumElems(a.Shape) * a.DType.Size())
	}
	rank := len(n.Shape)
	buffers, spill := p.opts.MemoryLimit/2, false
	if read+int64(graph.NumElems(n.Shape)*n.DType.Size()) > p.opts.MemoryLimit {
		buffers, spill = p.opts.MemoryLimit/graph.MatmulShare, true
	}
	_, _, memory = gemm.TileSize(n.DType, n.Shape[rank-2], n.Shape[rank-1], buffers, spill)
	return read, memory
}
