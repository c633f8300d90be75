package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/store"
)

// copyAsJob copies a view of a tensor as a job if that is wanted. job is false if it did nothing.
func (s *Store) copyAsJob(ctx context.Context, name string, sel store.Selector, t *store.Tensor, sp store.Spec, o *ImportOptions) (job bool, err error) {
	if o == nil || !o.Journal.wants(t.NumBytes()) {
		return false, nil
	}
	if s.Within != nil {
		return false, o.Journal.refuse(partOfTx)
	}

	sp = sp.Clone()
	rec, _, n, err := sp.Record(name)
	if err != nil {
		return false, err
	}

	end, err := s.Engine.BeginChange()
	if err != nil {
		return false, err
	}
	defer end()

	// A name that is taken must fail before the work, not after hours.
	if _, err := s.importMethod(ctx, name, o); err != nil {
		return false, err
	}

	w, err := s.beginJob(ctx, catalog.Job{
		Kind: catalog.JobCopy, Text: sel.String(), Replace: o.Overwrite, Inputs: []catalog.Input{input(sel.Source(), t.Info.Entry)},
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
func (w *jobRun) copyTensor(t *store.Tensor) error {
	if err := w.copyFrom(t.Tensor.Reader()); err != nil {
		return err
	}
	return w.publish(func(*store.Tx) error { return t.Unchanged() })
}

// asJob describes statements for the catalog. It returns nil if they can't be a job.
func (ev *evaluation) asJob(stmts []compute.Statement) *catalog.Job {
	if !ev.opts.Journal.asked() {
		return nil
	}

	texts := make([]string, len(stmts))
	for i, st := range stmts {
		texts[i] = st.String()
	}

	// Another process parses the text again. It must mean the same there.
	job := &catalog.Job{Kind: catalog.JobEval, Text: strings.Join(texts, "; "), Group: ev.opts.Group, As: ev.opts.DType}
	back, err := compute.ParseProgram(job.Text)
	if err != nil || !slices.EqualFunc(back, texts, func(st compute.Statement, text string) bool { return st.String() == text }) {
		return nil
	}

	// Maps have no order; the record of a job has.
	for name, v := range ev.opts.Vars {
		job.Vars = append(job.Vars, catalog.JobVar{Name: name, Value: v})
	}
	slices.SortFunc(job.Vars, func(a, b catalog.JobVar) int { return strings.Compare(a.Name, b.Name) })
	return job
}

// hasIndexArrays is compute.Expr.HasIndexArrays with lazy names expanded.
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

// resumeExpr goes on with a copy or an evaluation.
func (w *jobRun) resumeExpr(o *ResumeOptions) error {
	if w.job.Kind == catalog.JobCopy {
		t, err := w.store.Get(w.ctx, w.job.Text)
		if err == nil {
			err = w.resumeCopy(t, o)
			return errors.Join(err, t.Close())
		}
		if !isComputed(err) || errors.Is(err, store.ErrNotFound) {
			return w.inputsAre(nil, err)
		}
	}
	ev, stmts, err := w.evaluation(o)
	if err != nil {
		return err
	}
	return errors.Join(w.resumePlan(ev, stmts), ev.close())
}

func (w *jobRun) resumeCopy(t *store.Tensor, o *ResumeOptions) error {
	if err := w.inputsAre([]catalog.Input{input(t.Info.Selector.Source(), t.Info.Entry)}, nil); err != nil {
		return err
	}
	w.tell(&o.Compute)
	return w.copyTensor(t)
}

// evaluation returns what the job computes with, and its statements.
func (w *jobRun) evaluation(o *ResumeOptions) (*evaluation, []compute.Statement, error) {
	if w.job.Kind == catalog.JobCopy {
		sel, err := w.store.Resolve(w.ctx, w.job.Text)
		if err != nil {
			return nil, nil, err
		}
		ev, _, err := w.store.evaluationOf(w.ctx, selectorOperand(sel), &EvalOptions{Compute: o.Compute})
		return ev, []compute.Statement{{Target: w.job.Record.Name, Expr: selected(sel)}}, err
	}

	// An eval reads its statements anew, with the numbers that it was given.
	vars := map[string]dtype.Scalar{}
	for _, v := range w.job.Vars {
		vars[v.Name] = v.Value
	}
	ev, err := w.store.newEvaluation(w.ctx, &EvalOptions{Group: w.job.Group, Vars: vars, DType: w.job.As, Compute: o.Compute})
	if err != nil {
		return nil, nil, err
	}

	stmts, err := compute.ParseProgram(w.job.Text)
	if err == nil {
		stmts, err = ev.prepare(stmts)
	}
	if err != nil {
		return nil, nil, errors.Join(err, ev.close())
	}

	return ev, stmts, nil
}

// resumePlan goes on with statements.
func (w *jobRun) resumePlan(ev *evaluation, stmts []compute.Statement) error {
	p, err := compute.NewPlan(w.ctx, stmts, ev.env(), &ev.opts.Compute)
	if err = w.inputsAre(ev.inputs(), err); err == nil {
		err = w.mustMake(p.Outputs())
	}
	if err == nil {
		err = ev.work(w, p)
	}
	if p != nil {
		err = errors.Join(err, p.Close())
	}
	return err
}

// mustMake returns ErrInputChanged if statements make other tensors than they did at the beginning.
func (w *jobRun) mustMake(outputs []compute.Output) error {
	made := slices.DeleteFunc(slices.Clone(outputs), func(out compute.Output) bool { return out.Replaced })
	was := w.job.Records()
	if len(made) != len(was) {
		return fmt.Errorf("%w: the statements make %d tensors now, and made %d", store.ErrInputChanged, len(made), len(was))
	}
	for i, out := range made {
		if out.Target != was[i].Name || out.DType != was[i].DType || !slices.Equal(record.Int64s(out.Shape), was[i].Shape) {
			return fmt.Errorf("%w: %q is %v %v now, the job makes %q of %v %v", store.ErrInputChanged, out.Target, out.DType, out.Shape, was[i].Name, was[i].DType, was[i].Shape)
		}
	}
	return nil
}
