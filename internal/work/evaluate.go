package work

import (
	"context"
	"errors"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// scratchInMemory is the largest copy that Evaluate makes in memory.
const scratchInMemory = 64 << 20

// Evaluate opens what sel selects, like Get, and copies where no view will do: index arrays ("x[[1,
// 5, 7]]"), masks ("x[mask]", with mask the name of another tensor), shapes that no strides can
// express, "astype".
func (s *Store) Evaluate(ctx context.Context, sel string) (*store.Tensor, error) {
	return s.EvaluateWith(ctx, sel, nil)
}

// EvaluateWith is Evaluate with options. Of these only Edges and Compute mean something here.
func (s *Store) EvaluateWith(ctx context.Context, sel string, o *EvalOptions) (*store.Tensor, error) {
	op, err := s.operand(ctx, sel)
	if err != nil {
		return nil, err
	}
	return s.evaluateOperand(ctx, op, o)
}

func (s *Store) evaluateOperand(ctx context.Context, op operand, o *EvalOptions) (*store.Tensor, error) {
	t, err := s.openStored(ctx, op)
	if isComputed(err) {
		return s.evaluateComputed(ctx, op, o)
	}
	return t, err
}

// evaluateComputed computes the operand, and no more.
func (s *Store) evaluateComputed(ctx context.Context, op operand, o *EvalOptions) (*store.Tensor, error) {
	var t *store.Tensor
	err := s.oneState(ctx, func(p *pins) (err error) {
		t, err = s.evaluateOnce(ctx, op, o, p)
		return err
	})
	return t, err
}

func (s *Store) evaluateOnce(ctx context.Context, op operand, o *EvalOptions, p *pins) (*store.Tensor, error) {
	ev, e, err := s.evaluationOf(ctx, op, o)
	if err != nil {
		return nil, err
	}

	ev.pins = p
	err = ev.run([]compute.Statement{{Expr: op.expr}})
	if err = errors.Join(err, ev.close()); err != nil {
		return nil, op.wrap(errors.Join(err, ev.result.Close()))
	}

	out := ev.result.Outputs[0]
	t := out.Tensor
	t.Info, err = computedInfo(e, op.sel, out.DType, out.Shape, out.Dims)
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

// computedInfo describes elements that lie in no storage of the store.
func computedInfo(e *catalog.Entry, sel store.Selector, t dtype.Type, shape []int, dims []string) (*store.Info, error) {
	l, err := view.NewLayout(shape...)
	if err != nil {
		return nil, err
	}
	return &store.Info{Entry: e, Selector: sel, Layout: l, DType: t, Copied: true, AxisNames: dims}, nil
}

// StatEvaluated describes what Evaluate makes of sel.
func (s *Store) StatEvaluated(ctx context.Context, sel string) (*store.Info, error) {
	op, err := s.operand(ctx, sel)
	if err != nil {
		return nil, err
	}
	if !op.isExpr {
		info, err := s.StatSelected(ctx, op.sel)
		if !isComputed(err) {
			return info, err
		}
	}
	r, err := s.streamComputed(ctx, op, nil)
	if err != nil {
		return nil, err
	}
	return r.Info, r.Close()
}

// scratch is room for a copy that nobody else sees.
func (s *Store) scratch(ctx context.Context, size int64) (*mmapstore.Storage, error) {
	if size >= scratchInMemory {
		return s.scratchFile(ctx, size)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return mmapstore.New(size)
}

// scratchFile is scratch in a file.
func (s *Store) scratchFile(ctx context.Context, size int64) (*mmapstore.Storage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.Engine.AwaitFreed()
	return mmapstore.WithAllocator(mmapstore.File{Dir: s.scratchDir(), OnFree: s.Engine.FreeLater}, size)
}

// scratchDir returns the folder for files that nobody else sees.
func (s *Store) scratchDir() string {
	if s.Engine.Options.ReadOnly {
		return os.TempDir()
	}
	return s.Engine.Path(storefile.TmpDir)
}
