package tstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

// copyAsJob copies a view of a tensor as a job, if that is wanted. job is false where
// nothing was done.
func (s *Store) copyAsJob(ctx context.Context, name string, sel Selector, t *Tensor, sp Spec, o *ImportOptions) (job bool, err error) {
	if o == nil || !o.Journal.wants(t.NumBytes()) {
		return false, nil
	}
	if s.within != nil {
		return false, o.Journal.refuse("it is part of a transaction")
	}
	sp = sp.clone()
	rec, _, n, err := sp.record(name)
	if err != nil {
		return false, err
	}
	end, err := s.beginChange()
	if err != nil {
		return false, err
	}
	defer end()
	if _, err := s.importWay(ctx, name, o); err != nil {
		return false, err
	}
	w, err := s.beginJob(ctx, catalog.Job{
		Kind: catalog.JobCopy, Text: sel.String(), Replace: o.Overwrite, Inputs: []catalog.Input{input(sel.source(), t.Info.Entry)},
	}, rec, sp, n)
	if err != nil {
		return false, err
	}
	if o.Eval != nil {
		w.tell(&o.Eval.Compute)
	}
	return true, w.end(w.copyTensor(t))
}

// copyTensor copies the elements that are not done yet, and publishes all.
func (w *work) copyTensor(t *Tensor) error {
	if err := w.copyFrom(t.Tensor.Reader()); err != nil {
		return err
	}
	return w.publish(func(*Tx) error { return t.Unchanged() })
}

// asJob describes statements for the catalog; nil where they can't be a job.
func (ev *evaluation) asJob(stmts []compute.Statement) *catalog.Job {
	if !ev.opts.Journal.asked() || len(stmts) != 1 {
		return nil
	}
	job := &catalog.Job{Kind: catalog.JobEval, Text: stmts[0].String(), Group: ev.opts.Group, As: ev.opts.DType}
	if back, err := compute.ParseProgram(job.Text); err != nil || len(back) != 1 || back[0].String() != job.Text {
		return nil
	}
	for name, v := range ev.opts.Vars {
		job.Vars = append(job.Vars, catalog.JobVar{Name: name, Value: v})
	}
	slices.SortFunc(job.Vars, func(a, b catalog.JobVar) int { return strings.Compare(a.Name, b.Name) })
	return job
}

// runAsJob runs a statement as a job, if that is wanted and can be. job is false
// where nothing was done.
func (ev *evaluation) runAsJob(stmts []compute.Statement) (job bool, err error) {
	if !ev.opts.Journal.asked() {
		return false, nil
	}
	why, err := ev.notResumable(stmts)
	if err != nil {
		return false, err
	}
	if why != "" {
		return false, ev.opts.Journal.refuse(why)
	}
	if err := ev.checkTargets(stmts); err != nil {
		return false, err
	}
	stream, err := compute.NewStream(ev.ctx, stmts[0].Expr, ev.env(), &ev.opts.Compute)
	if err != nil {
		return false, err
	}
	n := int64(stream.NumElems()) * int64(stream.DType().Size())
	switch {
	case !ev.opts.Journal.wants(n):
		return false, stream.Close()
	case !stream.IsPiecewise():
		return false, errors.Join(stream.Close(), ev.opts.Journal.refuse("its elements are those of a reduction, a running sum or a product of matrices, which is computed as a whole"))
	}
	return true, errors.Join(ev.computeAsJob(stmts[0], stream), stream.Close())
}

// notResumable says why statements can't be a job; "" when they may be one.
func (ev *evaluation) notResumable(stmts []compute.Statement) (string, error) {
	switch {
	case ev.store.within != nil:
		return "it is part of a transaction", nil
	case len(stmts) > 1:
		return "there are several statements: write them one by one", nil
	case changesElements(stmts[0]):
		return "it changes elements of a tensor that is there", nil
	case ev.writesInPlace(stmts[0].Target):
		return "it writes in place", nil
	case ev.opts.Explain != ExplainNone || ev.materializing != nil:
		return "it does more than make a tensor", nil
	case ev.job == nil:
		return "it has tensors in it that have no name", nil
	}
	picks, err := ev.hasIndexArrays(stmts[0].Expr, map[string]bool{})
	if picks {
		return "index arrays or a mask pick elements", nil
	}
	return "", err
}

// hasIndexArrays is that of compute.Expr, with lazy names expanded.
func (ev *evaluation) hasIndexArrays(e compute.Expr, seen map[string]bool) (bool, error) {
	if e.HasIndexArrays() {
		return true, nil
	}
	for _, name := range e.Names() {
		if seen[name] {
			continue
		}
		seen[name] = true
		formula, lazy, err := ev.expand(name)
		if err != nil {
			return false, err
		}
		if !lazy {
			continue
		}
		if has, err := ev.hasIndexArrays(formula, seen); has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// computeAsJob makes a job of a statement and does it.
func (ev *evaluation) computeAsJob(st compute.Statement, stream *compute.Stream) error {
	old := ev.old(st.Target)
	if old != nil && ev.opts.NewOnly {
		return fmt.Errorf("make %q: %w", st.Target, ErrExists)
	}
	out := compute.Output{DType: stream.DType(), Shape: stream.Shape(), Dims: stream.Dims()}
	ev.result.Outputs = append(ev.result.Outputs, ev.describe(st, out))
	sp := ev.specOf(out, old)
	rec, _, n, err := sp.record(st.Target)
	if err != nil {
		return err
	}
	job := *ev.job
	job.Replace, job.Inputs = !ev.opts.NewOnly, ev.inputs()
	w, err := ev.store.beginJob(ev.ctx, job, rec, sp, n)
	if err != nil {
		return err
	}
	return w.end(ev.fill(w, stream))
}

// fill computes the elements that are not done yet, and publishes all.
func (ev *evaluation) fill(w *work, stream *compute.Stream) error {
	if err := w.fillFrom(stream); err != nil {
		return err
	}
	return w.publish(func(tx *Tx) error {
		name := w.job.Record.Name
		if seen := ev.opened[name]; seen != nil {
			err := tx.then("replace", name, func(c *catalog.Tx) error { return ev.store.mustBeAsSeen(c, name, seen.Info) })
			if err != nil {
				return err
			}
		}
		return ev.unchanged()
	})
}

// resumeExpr goes on with a copy or an evaluation.
func (w *work) resumeExpr(o *ResumeOptions) error {
	if w.job.Kind == catalog.JobCopy {
		t, err := w.store.Get(w.ctx, w.job.Text)
		if err == nil {
			err = w.resumeCopy(t, o)
			return errors.Join(err, t.Close())
		}
		if !isComputed(err) {
			return w.inputsAre(nil, err)
		}
	}
	ev, expr, err := w.evaluation(o)
	if err != nil {
		return err
	}
	return errors.Join(w.resumeStream(ev, expr), ev.close())
}

func (w *work) resumeCopy(t *Tensor, o *ResumeOptions) error {
	if err := w.inputsAre([]catalog.Input{input(t.Info.Selector.source(), t.Info.Entry)}, nil); err != nil {
		return err
	}
	w.tell(&o.Compute)
	return w.copyTensor(t)
}

// evaluation is what the job computes with, and what.
func (w *work) evaluation(o *ResumeOptions) (*evaluation, compute.Expr, error) {
	if w.job.Kind == catalog.JobCopy {
		sel, err := w.store.resolve(w.ctx, w.job.Text)
		if err != nil {
			return nil, compute.Expr{}, err
		}
		ev, _, err := w.store.evaluationOf(w.ctx, sel, &EvalOptions{Compute: o.Compute})
		return ev, selected(sel), err
	}
	vars := map[string]dtype.Scalar{}
	for _, v := range w.job.Vars {
		vars[v.Name] = v.Value
	}
	ev, err := w.store.newEvaluation(w.ctx, &EvalOptions{Group: w.job.Group, Vars: vars, DType: w.job.As, Compute: o.Compute})
	if err != nil {
		return nil, compute.Expr{}, err
	}
	stmts, err := compute.ParseProgram(w.job.Text)
	if err == nil {
		stmts, err = ev.prepare(stmts)
	}
	if err == nil && len(stmts) != 1 {
		err = fmt.Errorf("%w: job %v has %d statements", ErrCorrupt, w.job.ID(), len(stmts))
	}
	if err != nil {
		return nil, compute.Expr{}, errors.Join(err, ev.close())
	}
	return ev, stmts[0].Expr, nil
}

func (w *work) resumeStream(ev *evaluation, expr compute.Expr) error {
	stream, err := compute.NewStream(w.ctx, expr, ev.env(), &ev.opts.Compute)
	if err = w.inputsAre(ev.inputs(), err); err != nil {
		if stream != nil {
			err = errors.Join(err, stream.Close())
		}
		return err
	}
	if stream.DType() != w.job.Record.DType || !slices.Equal(int64s(stream.Shape()), w.job.Record.Shape) {
		err = fmt.Errorf("%w: it makes %v %v now, and made %v %v", ErrInputChanged, stream.DType(), stream.Shape(), w.job.Record.DType, w.job.Record.Shape)
	} else {
		err = ev.fill(w, stream)
	}
	return errors.Join(err, stream.Close())
}
