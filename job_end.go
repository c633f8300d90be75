package tstore

import (
	"context"
	"errors"
	"time"

	"github.com/tstore/tstore/catalog"
)

// publish makes the tensor visible and ends the job, in one commit. check adds to
// the transaction what else has to hold.
func (w *work) publish(check func(tx *Tx) error) error {
	name := w.job.Record.Name
	return w.store.update(w.ctx, func(tx *Tx) error {
		tx.files = append(tx.files, w.file)
		if w.sums != nil {
			files, err := w.store.stageSeal(&w.file.storage, w.sums.all)
			tx.files = append(tx.files, files...)
			if err != nil {
				return err
			}
		}
		rec := w.job.Record
		rec.Created, rec.Modified = time.Now().UTC(), time.Now().UTC()
		put, err := w.way(tx, name)
		if err != nil {
			return err
		}
		return errors.Join(check(tx), tx.putStorage(w.file, name), put(&rec),
			tx.then("finish the job of", name, func(c *catalog.Tx) error {
				return errors.Join(w.mustGoOn(c), c.DropJob(w.job.ID()))
			}))
	})
}

// way is the method that names the new tensor.
func (w *work) way(tx *Tx, name string) (func(*catalog.Record) error, error) {
	err := w.store.mustLookFree(w.ctx, name)
	if errors.Is(err, ErrExists) && w.job.Replace {
		return tx.replaceRecord, nil
	}
	return tx.createRecord, err
}

// end lets go of the job. After an error it stays and can be resumed, unless
// nothing is done yet.
func (w *work) end(err error) error {
	switch {
	case err == nil:
		if w.sums != nil {
			err = w.store.fs.Remove(w.sums.file.Name())
		}
		// The tensor is there: what is left over is for gc.
		_ = errors.Join(err, w.release())
		return nil
	case errors.Is(err, ErrInDoubt):
		return errors.Join(err, w.release())
	case w.fresh && w.job.Done == 0:
		return errors.Join(err, w.drop(), w.release())
	}
	if errors.Is(err, ErrCancelled) || w.ctx.Err() != nil {
		return errors.Join(&JobError{ID: w.job.ID(), Done: w.job.Done, Total: w.job.Total, Err: err}, w.release())
	}
	w.job.State, w.job.Err = catalog.JobFailed, shortText(err)
	// It can be resumed whether or not the catalog says why it failed.
	_ = w.store.commit(context.WithoutCancel(w.ctx), w.note)
	return errors.Join(&JobError{ID: w.job.ID(), Done: w.job.Done, Total: w.job.Total, Err: err}, w.release())
}

// shortText is as much of an error as the catalog keeps.
func shortText(err error) string {
	text := []rune(err.Error())
	return string(text[:min(len(text), catalog.MaxTextBytes/4)])
}

// drop removes the job, whether or not it is in the catalog already.
func (w *work) drop() error {
	_, err := w.store.dropJob(context.WithoutCancel(w.ctx), w.job.ID())
	if !errors.Is(err, ErrNotFound) {
		return err
	}
	for _, file := range []string{jobData(w.job.ID()), jobSumsFile(w.job.ID())} {
		_ = w.store.fs.Remove(w.store.path(file))
	}
	return nil
}

// close closes the files.
func (w *work) close() error {
	var errs []error
	if w.file != nil {
		errs = append(errs, w.file.file.Close())
	}
	if w.sums != nil {
		errs = append(errs, w.sums.file.Close())
	}
	w.file, w.sums = nil, nil
	return errors.Join(errs...)
}

// release closes the files and gives the lock back.
func (w *work) release() error { return errors.Join(w.close(), w.lock.Unlock()) }
