package work

import (
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/store"
)

// Journal says which long work is a job: work that notes in the store's catalog how far it is,
// every few seconds, and that ResumeJob takes up where it was when it has been interrupted, however
// that happened.
type Journal struct {
	From int64
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
	return fmt.Errorf("%w: %s", store.ErrNotResumable, why)
}

// partOfTx is why parts of a transaction can't be resumed, and what can.
const partOfTx = "it is part of a transaction, which begins anew after an interruption (the statements of one eval are all or nothing, too, and can be resumed)"

// JobError is the error of work that has become a job and can be resumed.
type JobError struct {
	ID          catalog.ID
	Done, Total int64 // bytes
	Err         error
}

// PublicJobError turns a JobError into the one that users know. Package tstore, which defines that,
// sets the function.
var PublicJobError = func(e *JobError) error { return e }

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
