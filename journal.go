package tstore

import (
	"fmt"

	"github.com/tstore/tstore/catalog"
)

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

// asked reports whether there may be a job.
func (o Journal) asked() bool { return o.Must || o.From > 0 }

// wants reports whether work that makes n bytes is to be a job.
func (o Journal) wants(n int64) bool { return n > 0 && (o.Must || o.From > 0 && n >= o.From) }

// refuse returns ErrNotResumable if there must be a job.
func (o Journal) refuse(why string) error {
	if !o.Must {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrNotResumable, why)
}

// partOfTx is why parts of a transaction can't be resumed, and what can.
const partOfTx = "it is part of a transaction, which begins anew after an interruption (the statements of one eval are all or nothing, too, and can be resumed)"

// JobError is the error of work that has become a job and can be resumed. It wraps the reason why
// the work ended.
type JobError struct {
	ID          catalog.ID
	Done, Total int64 // bytes
	Err         error
}

// Error describes why the work ended, and how it goes on.
func (e *JobError) Error() string {
	return fmt.Sprintf("%v; %s", e.Err, e.Left())
}

// Left describes what is kept of the work, and how it goes on.
func (e *JobError) Left() string {
	return fmt.Sprintf("%d%% are done and kept: go on with tstore job resume %.8s, or drop it with tstore job rm %.8[2]s", percent(e.Done, e.Total), e.ID.String())
}

// Unwrap returns the reason.
func (e *JobError) Unwrap() error { return e.Err }

// percent returns the share of done, rounded down.
func percent(done, total int64) int64 {
	if total == 0 {
		return 100
	}
	return int64(float64(done) / float64(total) * 100)
}
