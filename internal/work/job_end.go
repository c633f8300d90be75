package work

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// publish makes the tensors visible and ends the job, in one commit. check adds to the transaction
// what else has to hold.
func (w *jobRun) publish(check func(tx *store.Tx) error) error {
	return w.store.Join(w.ctx, func(tx *store.Tx) error {
		// What was read may be replaced next, so it is looked at first.
		if err := check(tx); err != nil {
			return err
		}
		for i, rec := range w.job.Records() {
			rec.Created, rec.Modified = time.Now().UTC(), time.Now().UTC()
			if err := w.publishOne(tx, w.files[i], &rec); err != nil {
				return err
			}
		}
		return tx.AtCommit("finish the job of", w.job.Record.Name, func(c *catalog.Tx) error {
			return errors.Join(w.mustGoOn(c), c.DropJob(w.job.ID()))
		})
	})
}

// publishOne adds a tensor to the transaction.
func (w *jobRun) publishOne(tx *store.Tx, st *engine.Staged, rec *catalog.Record) error {
	put, err := w.putMethod(tx, rec)
	if err != nil {
		return err
	}

	// A small result is copied into a packed file. The job's own file of it is removed with the
	// job.
	if w.job.Kind == catalog.JobEval && st.Storage.PayloadBytes <= store.PackLimit {
		data := io.NewSectionReader(st.File, storefile.HeaderBytes, st.Storage.PayloadBytes)
		src := store.Source{Spec: store.Spec{DType: rec.DType, Shape: st.Header.Shape, Dims: rec.Dims}, Data: data}
		return errors.Join(tx.WritePacked(rec, src, st.Storage.PayloadBytes), put(rec))
	}

	// A large one is published as it is: the update renames the file and commits.
	tx.Files = append(tx.Files, st)
	if w.sums != nil {
		files, err := w.store.Engine.StageSeal(&st.Storage, w.sums.all)
		tx.Files = append(tx.Files, files...)
		if err != nil {
			return err
		}
	}

	return errors.Join(tx.PutStorage(st, rec.Name), put(rec))
}

// putMethod returns the method that commits the record of a tensor. What an eval makes anew must
// have its name still free, as without a job; what may replace a tensor looks at the commit whether
// there is one.
func (w *jobRun) putMethod(tx *store.Tx, rec *catalog.Record) (func(*catalog.Record) error, error) {
	switch {
	case w.job.Replace && w.job.Kind == catalog.JobEval && rec.Version == record.FirstVersion:
		return tx.CreateSeenFree, nil
	case w.job.Replace:
		return func(rec *catalog.Record) error { return tx.PutRecord(rec, rec.Dims) }, nil
	}
	rec.Version = record.FirstVersion
	return tx.CreateRecord, w.store.MustLookFree(w.ctx, rec.Name)
}

// end gives the job up. After an error it stays and can be resumed, unless nothing is done yet.
func (w *jobRun) end(err error) error {
	switch {
	case err == nil:
		// The tensors are there: what can't be removed is for gc.
		_ = errors.Join(w.removeRest(), w.release())
		return nil
	case errors.Is(err, store.ErrInDoubt):
		return errors.Join(err, w.release())
	case w.fresh && !w.begun():
		return errors.Join(err, w.drop(), w.release())
	}

	// Who cancelled it knows why it ended. Otherwise the catalog notes that.
	if errors.Is(err, store.ErrCancelled) || w.ctx.Err() != nil {
		return errors.Join(w.unfinished(err), w.release())
	}

	w.job.State, w.job.Err = catalog.JobFailed, shortText(err)
	// It can be resumed whether or not the catalog says why it failed.
	_ = w.store.Engine.Commit(context.WithoutCancel(w.ctx), w.note)
	return errors.Join(w.unfinished(err), w.release())
}

// unfinished returns the error of a job that can be resumed.
func (w *jobRun) unfinished(err error) error {
	return PublicJobError(&JobError{ID: w.job.ID(), Done: w.job.Done, Total: w.job.Total, Err: err})
}

// shortText is as much of an error as the catalog keeps.
func shortText(err error) string {
	text := []rune(err.Error())
	return string(text[:min(len(text), catalog.MaxTextBytes/4)])
}

// begun reports whether anything that is done has been noted.
func (w *jobRun) begun() bool {
	return w.job.Done > 0 || w.job.Checkpoint.Pass > 0 || w.job.Checkpoint.Done > 0
}

// drop removes the job, whether or not it is in the catalog already.
func (w *jobRun) drop() error {
	_, err := w.store.dropJob(context.WithoutCancel(w.ctx), w.job.ID())
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	for _, file := range storefile.JobFiles(w.job.ID(), len(w.job.More)) {
		_ = w.store.Engine.FS.Remove(w.store.Engine.Path(file))
	}
	return nil
}
