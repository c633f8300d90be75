package offload

import (
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/internal/gemm"
	"github.com/tstore/tstore/compute/internal/jit"
	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/dtype"
)

// A mover is what the code of a move depends on.
type mover struct {
	from, to dtype.Type
	negate   bool
}

// moverOf returns what does a move.
func moverOf(m *gemm.Move) mover { return mover{m.From, m.To, m.Negate} }

// program returns the program of a mover.
func (m mover) program() *jit.Program {
	p := &jit.Program{Inputs: []dtype.Type{m.from}, Outputs: []int{0}}
	if m.negate {
		p.Ops, p.Outputs = []jit.Op{{Op: kernel.Neg, Operand: m.from, Result: m.from}}, []int{1}
	}
	if m.to != m.from {
		p.Ops = append(p.Ops, jit.Op{Operand: m.from, Result: m.to, Args: [3]int{p.Outputs[0]}})
		p.Outputs[0] = len(p.Ops)
	}
	return p
}

// moveLayouts are those of a move: both sides have three strides.
var moveLayouts = &ptx.Layouts{Inputs: []ptx.Layout{ptx.Strided}, Outputs: []ptx.Layout{ptx.Strided}, Rank: 3}

// prepareMoves compiles what the product needs where operands are on the device.
func (p *Product) prepareMoves() error {
	var all []gemm.Move
	part := gemm.Part{Rows: 1, Cols: p.n / max(p.spec.N, 1), Long: p.k / max(p.spec.K, 1)} // one element
	if p.spec.A.Address != 0 {
		all = append(all, p.operands.MovesA(0, part, p.unitRows)...)
	}
	if p.spec.B.Address != 0 {
		all = append(all, p.operands.MovesB(0, part, p.unitCols)...)
	}
	if p.spec.C.Address != 0 || p.spec.Also.Address != 0 {
		all = append(all, p.operands.MoveStore(&p.spec.C, part, 0))
	}
	p.movers = map[mover]*code{}
	for i := range all {
		m := moverOf(&all[i])
		program := m.program()
		made, err := p.engine.compiled(fmt.Sprint("move ", ptx.Key(program, moveLayouts)), func(c *code) (text string, err error) {
			if c.kernel, err = ptx.Compile(program, moveLayouts); err != nil {
				return "", err
			}
			return c.kernel.Text, nil
		})
		if err != nil {
			return err
		}
		p.movers[m] = made
	}
	return nil
}

// gather packs the panels of operands that are on the device: that of A, and behind it that of B.
func (w *productWorker) gather(tile int, at gemm.Part) error {
	a, b := w.widths(at)
	var moves []gemm.Move
	if w.spec.A.Address != 0 {
		moves = w.operands.MovesA(w.slot.memory, at, a)
	}
	if w.spec.B.Address != 0 {
		moves = append(moves, w.operands.MovesB(w.slot.memory+uint64(at.Long*a*w.size), at, b)...)
	}
	if len(moves) == 0 {
		return nil
	}
	return w.perform(tile, func(q device.Queue) error {
		for _, m := range moves {
			if err := w.move(q, m); err != nil {
				return err
			}
		}
		return nil
	})
}

// move launches a move. Its parameters are those of a ptx.Kernel.
func (p *Product) move(q device.Queue, m gemm.Move) error {
	c, n := p.movers[moverOf(&m)], 1
	params := []uint64{m.Source, m.Target, 0}
	for _, size := range m.Sizes {
		n *= size
		params = append(params, uint64(size))
	}
	params[2] = uint64(n)
	for _, steps := range [][3]int{m.SourceSteps, m.TargetSteps} {
		for _, step := range steps {
			params = append(params, uint64(step))
		}
	}
	return q.Launch(c.module, &device.Launch{
		Entry: ptx.Entry, Grid: [3]int{c.kernel.Blocks(n), 1, 1}, Block: [3]int{ptx.BlockThreads, 1, 1}, Params: params,
	})
}
