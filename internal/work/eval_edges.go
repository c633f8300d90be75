package work

import (
	"errors"
	"iter"
	"slices"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// computeEdges computes a statement without a target if a summary of it shows elements. It computes
// the corners of the array alone, side by side.
func (ev *evaluation) computeEdges(st compute.Statement) error {
	s, err := compute.NewStream(ev.ctx, st.Expr, ev.env(), &ev.opts.Compute)
	if err != nil {
		return ev.inOneState(err)
	}

	// The pins keep what is read from being changed in place meanwhile.
	err = ev.pin()
	if err != nil {
		return errors.Join(err, s.Close())
	}

	t, err := ev.edges(s)
	if err = errors.Join(err, s.Close()); err != nil {
		return err
	}

	ev.result.Outputs = append(ev.result.Outputs, EvalOutput{
		Expr: st.Expr, DType: s.DType(), Shape: s.Shape(), Dims: s.Dims(), Tensor: ev.store.scratchTensor(t),
	})
	return nil
}

// edges computes the edges of the result of s.
func (ev *evaluation) edges(s *compute.Stream) (*view.Tensor, error) {
	shape := s.Shape()
	edges, err := ev.opts.Edges.Edges(shape)
	if err != nil {
		return nil, err
	}

	t, err := newTensor(store.Spec{DType: s.DType(), Shape: edges}, ev.opts.Compute.Scratch)
	if err != nil {
		return nil, err
	}

	for from, to := range corners(shape, edges) {
		dst, err := t.Index(to)
		if err == nil {
			err = s.Part(from, dst)
		}
		if err != nil {
			return nil, errors.Join(err, t.Close())
		}
	}

	// Elements that were changed during the computation would mix two states.
	if err := errors.Join(ev.unchanged(), ev.still()); err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// newTensor returns a tensor in room of its own. The caller closes it.
func newTensor(sp store.Spec, room func(size int64) (*mmapstore.Storage, error)) (*view.Tensor, error) {
	l, err := sp.Layout()
	if err != nil {
		return nil, err
	}
	n, err := sp.NumBytes()
	if err != nil {
		return nil, err
	}
	m, err := room(n)
	if err != nil {
		return nil, err
	}
	defer m.Release()
	return view.NewTensor(m, sp.DType, l)
}

// corners yields the parts that the edges of an array consist of. Each part comes with its place
// among the edges.
func corners(shape, edges []int) iter.Seq2[view.Index, view.Index] {
	return func(yield func(from, to view.Index) bool) {
		var walk func(from, to view.Index) bool
		walk = func(from, to view.Index) bool {
			axis := len(from)
			if axis == len(shape) {
				return yield(slices.Clone(from), slices.Clone(to))
			}

			n, m := shape[axis], edges[axis]
			if n == m {
				return walk(append(from, view.All()), append(to, view.All()))
			}
			return walk(append(from, view.Span(0, m/2)), append(to, view.Span(0, m/2))) &&
				walk(append(from, view.Span(n-m/2, n)), append(to, view.Span(m/2, m)))
		}
		walk(nil, nil)
	}
}
