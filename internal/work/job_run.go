package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
	"github.com/tstore/tstore/mmapstore"
)

// A job notes how far it is each time after JobSpan bytes of results. The number is doubled or
// halved, up to MaxJobSpan, so that it takes a few seconds. Both are whole blocks of checksums;
// tests make them smaller.
var (
	JobSpan    int64 = 64 << 20
	MaxJobSpan int64 = 16 << 30
)

// shortSpan and longSpan are how long it takes, if the number of bytes stays.
const (
	shortSpan = 2 * time.Second
	longSpan  = 6 * time.Second
)

// jobRun is a process at work on a job. It belongs to one goroutine, and holds the lock of the
// storages that the job makes.
type jobRun struct {
	store *Store
	ctx   context.Context
	job   catalog.Job
	lock  *filelock.Held
	files []*engine.Staged // of each tensor that is made
	sums  *jobSums         // nil unless the storage is to be sealed
	// progress, if set, gets the number of bytes that are done.
	progress func(done int64)
	// span is how many bytes are made until the next note; the last one was made at notedAt.
	span    int64
	notedAt time.Time
	// fresh is true for a job of this call, which goes as long as nothing is done.
	fresh bool
}

// beginJob makes a job that writes n bytes of rec, as sp says.
func (s *Store) beginJob(ctx context.Context, job catalog.Job, rec *catalog.Record, sp store.Spec, n int64) (*jobRun, error) {
	job.Record, job.ColumnMajor, job.Sparse, job.Total = *rec, sp.Order == store.ColumnMajor, sp.Reserve == store.Sparse, n
	return s.beginJobOf(ctx, job)
}

// beginJobOf makes a job. It fills in what does not depend on the job's kind. The lock comes
// first: gc takes files for abandoned if nobody has the lock of their id.
func (s *Store) beginJobOf(ctx context.Context, job catalog.Job) (*jobRun, error) {
	id := catalog.NewJobID()
	lock, err := filelock.TryLock(s.Engine.LockPath(), engine.StorageKey(id), filelock.Exclusive)
	if err != nil {
		return nil, fmt.Errorf("lock storage %v: %w", id, err)
	}

	job.Record.Storage, job.Writer = id, engine.WriterName()
	for i := range job.More {
		job.More[i].Storage = id.Part(i + 1)
	}

	// The files are durable before the catalog has the job.
	w := &jobRun{store: s, ctx: ctx, job: job, lock: lock, span: JobSpan, fresh: true}
	if err = w.start(); err == nil {
		err = s.Engine.Commit(ctx, func(c *catalog.Tx) error { return c.PutJob(w.job) })
	}
	if err != nil {
		return nil, w.end(err)
	}

	w.notedAt = time.Now()
	return w, nil
}

// reopenJob takes up a job that nobody runs.
func (s *Store) reopenJob(ctx context.Context, id catalog.ID) (*jobRun, error) {
	lock, err := s.lockJob(ctx, id)
	if err != nil {
		return nil, err
	}

	w := &jobRun{store: s, ctx: ctx, lock: lock, span: JobSpan}

	// The commit tells everybody who runs the job, before any file of it is touched.
	err = s.Engine.Commit(ctx, func(c *catalog.Tx) (err error) {
		if w.job, err = c.Job(id); err != nil {
			return err
		}
		w.job.State, w.job.Err, w.job.Writer = catalog.JobRunning, "", engine.WriterName()
		return c.PutJob(w.job)
	})

	if err == nil {
		err = w.reopenFiles()
	}
	if err != nil {
		return nil, errors.Join(err, w.release())
	}

	w.notedAt = time.Now()
	return w, nil
}

// tell passes progress on to the caller of o.
func (w *jobRun) tell(o *compute.Options) {
	if o.Progress == nil {
		return
	}
	total := w.job.Total
	w.progress = func(done int64) { o.Progress(compute.Progress{Done: done, Total: total, Pass: 1, Passes: 1}) }
}

// copyFrom copies what is not done yet.
func (w *jobRun) copyFrom(src io.ReaderAt) error {
	for w.job.Done < w.job.Total {
		n := min(w.span, w.job.Total-w.job.Done)
		sums, err := w.copyRange(src, n)
		if err != nil {
			return err
		}
		if err := w.checkpoint(w.job.Done+n, sums); err != nil {
			return err
		}
	}
	return w.ctx.Err()
}

// copyRange copies the next n bytes, and returns the checksums of their blocks if they are wanted.
func (w *jobRun) copyRange(src io.ReaderAt, n int64) ([]uint64, error) {
	done := w.job.Done
	o := &fsx.StreamOptions{}
	if w.progress != nil {
		o.Progress = func(n int64) { w.progress(done + n) }
	}
	var sums *blocksum.Collector
	if w.sums != nil {
		sums = blocksum.NewCollector(w.job.ID(), done/blocksum.BlockBytes)
		o.Tee = engine.Tee(sums, storefile.HeaderBytes)
	}
	out := fsx.NewStreamWriter(w.files[0].File, storefile.HeaderBytes+done, o)
	if err := out.CopyAt(w.ctx, io.NewSectionReader(src, done, n), 0, n); err != nil || sums == nil {
		return nil, err
	}
	return sums.Sums(done + n)
}

// flush makes durable what was stored to the mapping of a file, as far as the store's durability
// goes.
func (w *jobRun) flush(st *engine.Staged, dst *mmapstore.Storage) error {
	err := w.store.Engine.SyncMapped(w.ctx, dst)
	if err == nil || errors.Is(err, w.ctx.Err()) {
		return err
	}
	return w.store.Engine.Poison(fmt.Errorf("sync %s: %w", st.Tmp, err))
}

// checkpoint makes the first done bytes of the first file durable, and then notes that they are.
func (w *jobRun) checkpoint(done int64, sums []uint64) error {
	if err := w.syncFile(w.files[0]); err != nil {
		return err
	}
	if w.sums != nil {
		if err := w.sums.add(sums); err != nil {
			return err
		}
		w.job.SumsCheck = w.sums.check
	}
	w.job.Done = done
	return w.noteDone()
}

// syncFile makes a file durable. If that fails, the store takes no more changes.
func (w *jobRun) syncFile(st *engine.Staged) error {
	if err := w.store.Engine.SyncFile(st.File); err != nil {
		return w.store.Engine.Poison(fmt.Errorf("sync %s: %w", st.Tmp, err))
	}
	return nil
}

// noteDone notes what has been made durable, even when ctx has ended meanwhile.
func (w *jobRun) noteDone() error {
	w.job.Boot = w.store.Engine.Stamp()
	if err := w.store.Engine.Commit(context.WithoutCancel(w.ctx), w.note); err != nil {
		return err
	}
	switch took := time.Since(w.notedAt); {
	case took < shortSpan:
		w.span = min(2*w.span, MaxJobSpan)
	case took > longSpan:
		w.span = max(w.span/2, JobSpan)
	}
	w.notedAt = time.Now()
	return nil
}

// note stores the job as it stands. It returns ErrCancelled if somebody has cancelled it.
func (w *jobRun) note(c *catalog.Tx) error {
	if err := w.mustGoOn(c); err != nil {
		return err
	}
	return c.PutJob(w.job)
}

// mustGoOn returns ErrCancelled if somebody has cancelled the job.
func (w *jobRun) mustGoOn(c *catalog.Tx) error {
	now, err := c.Job(w.job.ID())
	if err == nil && now.State == catalog.JobCancelled {
		err = store.ErrCancelled
	}
	return err
}
