package tstore

import (
	"errors"
	"os"
	"slices"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// Edges ask for no more of an expression than a summary of it shows.
type Edges struct {
	// Items is how many indexes at either end of an axis are computed.
	Items int
	// Threshold is the most elements that are all computed.
	Threshold int
}

// maxEdges bounds the corners that are computed apart; a result with more of
// them is computed whole.
const maxEdges = 256

// computeEdges computes a statement without a target at the edges of its
// result. The elements between them are zero.
func (ev *evaluation) computeEdges(st compute.Statement) error {
	p, err := ev.check([]compute.Statement{st})
	if err != nil {
		return err
	}
	out := p.Outputs()[0]
	if err := p.Close(); err != nil {
		return err
	}
	l, err := view.NewLayout(out.Shape...)
	if err != nil {
		return err
	}
	corners := edgeIndexes(out.Shape, ev.opts.Edges.Items)
	if l.NumElems() <= ev.opts.Edges.Threshold || len(corners) > maxEdges {
		return ev.compute([]compute.Statement{st}, nil)
	}
	m := &madeTensor{spec: Spec{DType: out.DType, Shape: out.Shape}}
	if err = m.draw(ev.store); err == nil {
		err = ev.computeCorners(m.tensor, st, corners)
	}
	var t *view.Tensor
	if err == nil {
		t, err = m.tensor.Retain()
	}
	if err = errors.Join(err, m.close()); err != nil {
		return err
	}
	d := ev.describe(st, out)
	d.Tensor = ev.store.scratchTensor(t)
	ev.result.Outputs = append(ev.result.Outputs, d)
	return nil
}

// draw makes room for elements of which few, or none, are written. Nobody else
// sees them.
func (m *madeTensor) draw(s *Store) error {
	l, err := m.spec.layout()
	if err != nil {
		return err
	}
	n, err := m.spec.NumBytes()
	if err != nil {
		return err
	}
	if m.storage, err = s.canvas(n); err != nil {
		return err
	}
	m.tensor, err = view.NewTensor(m.storage, m.spec.DType, l)
	return err
}

func (ev *evaluation) computeCorners(t *view.Tensor, st compute.Statement, corners []view.Index) error {
	var stmts []compute.Statement
	for _, ix := range corners {
		part := view.Chain{view.IndexStep(ix)}
		stmts = append(stmts, compute.Statement{Target: noName, Chain: part, Expr: st.Expr.View(part)})
	}
	env := ev.env()
	env.InPlace = func(string) (*view.Tensor, error) { return t, nil }
	p, err := compute.NewPlan(ev.ctx, stmts, env, &ev.opts.Compute)
	if err != nil {
		return err
	}
	if err = p.Run(ev.ctx); err == nil {
		err = ev.unchanged()
	}
	return errors.Join(err, p.Close())
}

// noName is a target that no expression can read.
const noName = "[...]"

// edgeIndexes pick what lies within items of the ends of each axis.
func edgeIndexes(shape []int, items int) []view.Index {
	corners := []view.Index{{}}
	for _, n := range shape {
		spans := []view.Item{view.All()}
		if n > 2*items {
			spans = []view.Item{view.Span(0, items), view.Span(n-items, n)}
		}
		var next []view.Index
		for _, corner := range corners {
			for _, span := range spans {
				next = append(next, append(slices.Clone(corner), span))
			}
		}
		if corners = next; len(corners) > maxEdges {
			break
		}
	}
	return corners
}

// canvas is a storage of zeros that takes room only where it is written.
func (s *Store) canvas(size int64) (*mmapstore.Storage, error) {
	if size < scratchInMemory {
		return mmapstore.New(size)
	}
	f, err := os.CreateTemp(s.scratchDir(), "tstore-*.tmp")
	if err != nil {
		return nil, err
	}
	err = f.Truncate(size)
	var m *mmapstore.Storage
	if err == nil {
		m, err = mmapstore.MapFile(f, 0, size, mmapstore.Shared)
	}
	return m, errors.Join(err, f.Close(), os.Remove(f.Name()))
}
