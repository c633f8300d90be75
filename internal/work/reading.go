package work

import (
	"context"
	"errors"
	"io"
	"iter"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/view"
)

// Reading is a selector or an expression, open to be read from front to back.
type Reading struct {
	compute.Elements
	Info   *store.Info
	Expr   compute.Expr
	tensor *store.Tensor // nil where elements are computed as they are read
	ev     *evaluation   // nil else
	stop   func()        // ends what a Source reads
}

// Read opens what sel selects or computes, like Evaluate, to be read from front to back: what is no
// view of a tensor is computed while it is read, and not as a whole.
func (s *Store) Read(ctx context.Context, sel string, o *EvalOptions) (*Reading, error) {
	op, err := s.operand(ctx, sel)
	if err != nil {
		return nil, err
	}
	t, err := s.openStored(ctx, op)
	if isComputed(err) {
		return s.readComputed(ctx, op, o)
	}
	if err != nil {
		return nil, err
	}
	return &Reading{Elements: t.Tensor, Info: t.Info, tensor: t}, nil
}

// openStored opens an operand that is a view of a tensor.
func (s *Store) openStored(ctx context.Context, op operand) (*store.Tensor, error) {
	if op.isExpr {
		return nil, view.ErrNeedsCopy
	}
	return s.GetSelected(ctx, op.sel)
}

// isComputed reports whether err means that an operand is no view of a tensor, but can be computed.
func isComputed(err error) bool {
	return errors.Is(err, store.ErrLazy) || errors.Is(err, view.ErrNeedsCopy)
}

// smallReading is up to how many bytes are computed when they are opened to be read, so that they
// are computed again if others change what they are computed from.
const smallReading = 1 << 20

// readComputed opens an operand that is no view. It computes a small one at once; a large one is
// computed in pieces as it is read.
func (s *Store) readComputed(ctx context.Context, op operand, o *EvalOptions) (*Reading, error) {
	r, err := s.streamComputed(ctx, op, o)
	if err != nil || numBytes(r) > smallReading {
		return r, err
	}

	opts := EvalOptions{}
	if o != nil {
		opts.Compute = o.Compute
	}

	expr := r.Expr
	if err := r.Close(); err != nil {
		return nil, err
	}

	t, err := s.evaluateComputed(ctx, op, &opts)
	if err != nil {
		return nil, err
	}
	return &Reading{Elements: t.Tensor, Info: t.Info, Expr: expr, tensor: t}, nil
}

func numBytes(r *Reading) int { return r.Info.Layout.NumElems() * r.Info.DType.Size() }

func (s *Store) streamComputed(ctx context.Context, op operand, o *EvalOptions) (r *Reading, err error) {
	err = s.oneState(ctx, func(*pins) error {
		r, err = s.streamOnce(ctx, op, o)
		return err
	})
	return r, err
}

func (s *Store) streamOnce(ctx context.Context, op operand, o *EvalOptions) (*Reading, error) {
	ev, e, err := s.evaluationOf(ctx, op, o)
	if err != nil {
		return nil, err
	}
	r, err := ev.read(op.expr, e, op.sel)
	if err != nil {
		return nil, op.wrap(errors.Join(err, ev.close()))
	}
	return r, nil
}

// ReadExpr is Read of an expression alone, as Eval would compute it with the same options.
func (s *Store) ReadExpr(ctx context.Context, e compute.Expr, o *EvalOptions) (*Reading, error) {
	if o != nil && o.Journal.Must {
		return nil, o.Journal.refuse(namelessWork)
	}
	var r *Reading
	err := s.oneState(ctx, func(*pins) (err error) {
		r, err = s.streamExpr(ctx, e, o)
		return err
	})
	if err != nil || numBytes(r) > smallReading {
		return r, err
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	return s.readSmall(ctx, e, o)
}

func (s *Store) streamExpr(ctx context.Context, e compute.Expr, o *EvalOptions) (*Reading, error) {
	ev, err := s.newEvaluation(ctx, o)
	if err != nil {
		return nil, err
	}
	stmts, err := ev.prepare([]compute.Statement{{Expr: e}})
	if err != nil {
		return nil, err
	}
	r, err := ev.read(stmts[0].Expr, nameless, store.Selector{})
	if err != nil {
		return nil, errors.Join(err, ev.close())
	}
	return r, nil
}

// readSmall computes an expression to be read.
func (s *Store) readSmall(ctx context.Context, e compute.Expr, o *EvalOptions) (*Reading, error) {
	opts := EvalOptions{}
	if o != nil {
		opts = *o
		opts.Edges, opts.Explain = nil, ExplainNone
	}
	made, err := s.EvalStatements(ctx, []compute.Statement{{Expr: e}}, &opts)
	if err != nil {
		return nil, err
	}
	out := made.Outputs[0]
	return &Reading{Elements: out.Tensor.Tensor, Info: out.Tensor.Info, Expr: out.Expr, tensor: out.Tensor}, nil
}

// read opens an expression. The reading closes the evaluation.
func (ev *evaluation) read(expr compute.Expr, e *catalog.Entry, sel store.Selector) (*Reading, error) {
	stream, err := compute.NewStream(ev.ctx, expr, ev.env(), &ev.opts.Compute)
	if err != nil {
		return nil, ev.inOneState(err)
	}
	info, err := computedInfo(e, sel, stream.DType(), stream.Shape(), stream.Dims())
	if err != nil {
		return nil, errors.Join(err, stream.Close())
	}
	return &Reading{Elements: stream, Info: info, Expr: expr, ev: ev}, nil
}

// evaluationOf begins to compute an operand. Its text alone says what it means, so options that
// change the meaning of names don't apply.
func (s *Store) evaluationOf(ctx context.Context, op operand, o *EvalOptions) (*evaluation, *catalog.Entry, error) {
	e := nameless
	if !op.isExpr {
		var err error
		if e, err = s.SelectedEntry(ctx, op.sel); err != nil {
			return nil, nil, err
		}
	}

	opts := EvalOptions{}
	if o != nil {
		opts.Edges, opts.Compute = o.Edges, o.Compute
	}

	ev, err := s.newEvaluation(ctx, &opts)
	if err != nil {
		return nil, nil, err
	}
	ev.selecting = !op.isExpr
	return ev, e, nil
}

// Unchanged returns an error if elements came from an adopted file that has changed since the
// reading began, as Tensor.Unchanged does.
func (r *Reading) Unchanged() error {
	if r.tensor != nil {
		return r.tensor.Unchanged()
	}
	return errors.Join(r.ev.unchanged(), r.ev.still())
}

// Source returns the elements as a Source, which yields them once.
func (r *Reading) Source() store.Source {
	if r.tensor != nil {
		return store.FromTensor(r.tensor.Tensor)
	}

	// Blocks calls back, and a reader is called: a coroutine turns the one into the other.
	next, stop := iter.Pull2(func(yield func([]byte, error) bool) {
		err := r.Blocks(0, func(b []byte) error {
			if !yield(b, nil) {
				return io.ErrClosedPipe
			}
			return nil
		})
		if err != nil && !errors.Is(err, io.ErrClosedPipe) {
			yield(nil, err)
		}
	})

	r.stop = stop
	return store.Source{Spec: store.Spec{DType: r.DType(), Shape: r.Shape()}, Data: &blockReader{next: next}}
}

// blockReader reads blocks of bytes that come one after the other.
type blockReader struct {
	next func() ([]byte, error, bool)
	rest []byte
}

func (r *blockReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		block, err, more := r.next()
		if !more {
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		r.rest = block
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// Close gives back what the reading holds.
func (r *Reading) Close() error {
	if r.stop != nil {
		r.stop()
	}
	if r.tensor != nil {
		return r.tensor.Close()
	}
	return errors.Join(r.Elements.(*compute.Stream).Close(), r.ev.close())
}
