package tstore

import (
	"context"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/work"
)

// Job is long work that has been begun and not finished; see Journal.
type Job struct {
	catalog.Job
	// Running is true while a process works on the job. If it is false and the State is
	// catalog.JobRunning, the job has been interrupted.
	Running bool
}

// What returns the work in a few words: the file, the selector or the statement.
func (j Job) What() string { return work.Job(j).What() }

// Targets returns the names of the tensors that it makes.
func (j Job) Targets() []string { return work.Job(j).Targets() }

// Jobs returns the jobs, the oldest first.
func (s *Store) Jobs(ctx context.Context) ([]Job, error) {
	r, err := s.work().Jobs(ctx)
	return each(r, func(x work.Job) Job { return Job(x) }), err
}

// FindJob returns the job whose id starts with the given text. It returns ErrNotFound if there is
// none, and another error if there are several.
func (s *Store) FindJob(ctx context.Context, id string) (Job, error) {
	r, err := s.work().FindJob(ctx, id)
	return Job(r), err
}

// ResumeOptions of ResumeJob. Nil means the defaults.
type ResumeOptions struct {
	// Compute says how to compute. Its Progress also counts the bytes of copies and imports.
	Compute compute.Options
}

// ResumeJob goes on with a job behind what is done, and publishes the tensors, as the interrupted
// call would have. It returns ErrBusy if a process works on the job, ErrInputChanged if an input
// has changed, and ErrNotFound if the job has been finished or removed meanwhile. After other
// errors the job can be resumed again.
func (s *Store) ResumeJob(ctx context.Context, id catalog.ID, o *ResumeOptions) error {
	return s.work().ResumeJob(ctx, id, (*work.ResumeOptions)(o))
}

// CancelJob has the process that works on a job stop when it next notes how far it is, with
// ErrCancelled. The job stays: it can be resumed or removed.
func (s *Store) CancelJob(ctx context.Context, id catalog.ID) error {
	return s.work().CancelJob(ctx, id)
}

// RemoveJob drops a job and what it has done, and returns the bytes on the disk that this gives
// back. It returns ErrBusy if a process works on it.
func (s *Store) RemoveJob(ctx context.Context, id catalog.ID) (freed int64, err error) {
	return s.work().RemoveJob(ctx, id)
}

// Journal says which long work is a job: work that notes in the store's catalog how far it is,
// every few seconds, and that ResumeJob takes up where it was when it has been interrupted, however
// that happened. The zero Journal makes no jobs.
//
// These can be resumed: Import of a regular file, with a Source.Origin; Copy; and an evaluation of
// statements that make or replace tensors. Statements that are done stay so. Those under way go on
// behind the last note: with their elements, the parts of a reduction or of a running sum, the
// tiles of a product of matrices. Where parts of an expression are computed as a whole, as the mean
// in "x - x.mean()", they are computed again, unless a statement has given them a name. A single
// statement that sorts, takes medians and the like can't be resumed, and neither can index arrays
// and masks, changes of elements, and parts of a transaction. What several statements make becomes
// visible at once, when all are done.
type Journal struct {
	// From makes a job of what can be resumed and makes at least so many bytes of elements, or, in
	// reductions and products of matrices, would take about as long: reads 16 times as many bytes,
	// or multiplies 256 numbers for each. 0 makes none.
	From int64
	// Must makes a job of work of any size, and what can't be resumed ErrNotResumable.
	Must bool
}
