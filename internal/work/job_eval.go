package work

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// namelessWork is the reason why a computation without a target is no job.
const namelessWork = "it makes no tensor that has a name"

// runAsJob runs statements as a job if that is wanted and possible. job is false if it did nothing.
func (ev *evaluation) runAsJob(stmts []compute.Statement) (job bool, err error) {
	if !ev.opts.Journal.asked() {
		return false, nil
	}

	// What the text alone tells comes first: a plan opens the inputs.
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
	p, err := ev.newPlan(stmts, ev.env())
	if err != nil {
		return false, err
	}

	switch {
	case !ev.opts.Journal.wants(p.WorkBytes()):
	case !p.IsResumable():
		err = ev.opts.Journal.refuse("it is computed as a whole, as sorted elements and medians are, or is a part of a reduction, a running sum or a product of matrices that has no name")
	default:
		job, err = true, ev.beginStatements(stmts, p)
	}

	return job, errors.Join(err, p.Close())
}

// notResumable returns why statements can't be a job, or "" if they can.
func (ev *evaluation) notResumable(stmts []compute.Statement) (string, error) {
	switch {
	case ev.store.Within != nil:
		return partOfTx, nil
	case ev.opts.Explain != ExplainNone || ev.materializing != nil:
		return "it does more than make tensors", nil
	}

	made := map[string]bool{}
	// made has the names that are inputs no more, because a statement before makes them.
	for _, st := range stmts {
		switch {
		case st.Target == "":
			return fmt.Sprintf("%s has no name", st), nil
		case changesElements(st):
			return "it changes elements of a tensor that is there", nil
		case ev.writesInPlace(st.Target):
			return "it writes in place", nil
		case ev.job == nil:
			return "it has tensors in it that have no name", nil
		}

		picks, err := ev.hasIndexArrays(st.Expr, made)
		if picks {
			return "index arrays or a mask pick elements", nil
		}
		if err != nil {
			return "", err
		}
		made[st.Target] = true
	}
	return "", nil
}

// beginStatements makes a job of statements and runs it.
func (ev *evaluation) beginStatements(stmts []compute.Statement, p *compute.Plan) error {
	job := *ev.job
	job.Replace, job.Inputs = !ev.opts.NewOnly, ev.inputs()

	var records []catalog.Record
	for i, out := range p.Outputs() {
		ev.result.Outputs = append(ev.result.Outputs, ev.describe(stmts[i], out))
		if out.Replaced {
			continue
		}
		old := ev.old(out.Target)
		if old != nil && ev.opts.NewOnly {
			return fmt.Errorf("make %q: %w", out.Target, store.ErrExists)
		}

		rec, _, n, err := ev.specOf(out, old).Record(out.Target)
		if err != nil {
			return err
		}
		if old != nil {
			rec.Version = record.FirstVersion + 1
		}
		records = append(records, *rec)
		job.Total += n
	}

	if len(records)-1 > catalog.MaxJobMore || len(job.Text) > catalog.MaxJobText {
		return ev.opts.Journal.refuse("it is too long")
	}

	// From here on the job is in the catalog, and an interruption leaves it there to be resumed.
	job.Record, job.More = records[0], records[1:]
	w, err := ev.store.beginJobOf(ev.ctx, job)
	if err != nil {
		return err
	}
	return w.end(ev.work(w, p))
}

// work computes what is not done yet, and publishes everything.
func (ev *evaluation) work(w *jobRun, p *compute.Plan) error {
	if err := w.compute(p); err != nil {
		return err
	}

	// What a statement replaces must be as it was when the job read it.
	return w.publish(func(tx *store.Tx) error {
		for _, rec := range w.job.Records() {
			seen := ev.opened[rec.Name]
			if seen == nil {
				continue
			}
			err := tx.AtCommit("replace", rec.Name, func(c *catalog.Tx) error { return ev.store.MustBeAsSeen(c, rec.Name, seen.Info) })
			if err != nil {
				return err
			}
		}
		return ev.unchanged()
	})
}

// result is where the elements of a statement go.
type result struct {
	file    *engine.Staged
	storage *mmapstore.Storage
	tensor  *view.Tensor
}

// compute computes what is not done yet.
func (w *jobRun) compute(p *compute.Plan) (err error) {
	results := make([]result, len(p.Outputs()))

	defer func() {
		for _, r := range results {
			err = errors.Join(err, r.close())
		}
	}()

	files := w.files
	for i, out := range p.Outputs() {
		if out.Replaced {
			continue
		}
		if err := results[i].open(files[0], out); err != nil {
			return err
		}
		files = files[1:]
		if err := p.SetDst(i, results[i].tensor); err != nil {
			return err
		}
	}

	// Go on from the last state that is durable.
	at, err := w.lastCheckpoint()
	if err != nil {
		return err
	}

	return p.RunFrom(w.ctx, at, compute.Marks{
		Span: func() int64 { return w.span },
		Reached: func(at compute.Checkpoint, statements []int) error {
			for _, i := range statements {
				if err := w.syncResult(&results[i]); err != nil {
					return err
				}
			}
			return w.noteReached(at)
		},
	})
}

// open maps a file for what a statement makes.
func (r *result) open(st *engine.Staged, out compute.Output) (err error) {
	r.file = st
	if n := st.Storage.PayloadBytes; n > 0 {
		r.storage, err = st.Mapped()
	} else {
		r.storage, err = mmapstore.New(0)
	}
	if err != nil {
		return err
	}
	l, err := view.NewLayout(out.Shape...)
	if err != nil {
		return err
	}
	r.tensor, err = view.NewTensor(r.storage, out.DType, l)
	return err
}

func (r *result) close() error {
	var errs []error
	if r.tensor != nil {
		errs = append(errs, r.tensor.Close())
	}
	if r.storage != nil {
		errs = append(errs, r.storage.Release())
	}
	return errors.Join(errs...)
}

// syncResult makes durable what has been stored of a result.
func (w *jobRun) syncResult(r *result) error {
	if r.file == nil { // another statement gives the name its tensor
		return nil
	}
	if r.file.Storage.PayloadBytes > 0 {
		if err := w.flush(r.file, r.storage); err != nil {
			return err
		}
	}
	return w.syncFile(r.file)
}

// noteReached notes how far the statements have been run. All that comes before at is durable.
func (w *jobRun) noteReached(at compute.Checkpoint) error {
	noted := catalog.JobCheckpoint{Plan: at.Plan, Pass: int64(at.Pass), Done: int64(at.Done), Of: int64(at.Of), Grain: int64(at.Grain)}
	if len(at.State) > 0 {
		if err := w.putState(&noted, at.State); err != nil {
			return err
		}
	}
	w.job.Checkpoint, w.job.Done = noted, at.Bytes
	return w.noteDone()
}

// lastCheckpoint returns how far the last process ran the statements.
func (w *jobRun) lastCheckpoint() (compute.Checkpoint, error) {
	p := w.job.Checkpoint
	state, err := w.state()
	return compute.Checkpoint{Plan: p.Plan, Pass: int(p.Pass), Done: int(p.Done), Of: int(p.Of), Grain: int(p.Grain), State: state, Bytes: w.job.Done}, err
}
