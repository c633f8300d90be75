package tstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/mmapstore"
)

// How far a job is, is noted after so many bytes, which are doubled or halved
// so that it takes a few seconds. They are whole blocks of checksums.
var (
	jobSpan    int64 = 64 << 20
	maxJobSpan int64 = 16 << 30
)

// A few seconds.
const (
	shortSpan = 2 * time.Second
	longSpan  = 6 * time.Second
)

// work is a job at work. It belongs to one goroutine, and holds the lock of the
// storage that it makes.
type work struct {
	store *Store
	ctx   context.Context
	job   catalog.Job
	lock  *filelock.Held
	file  *staged
	sums  *jobSums // nil unless the storage is to be sealed
	// progress, when set, is told of the bytes that are done.
	progress func(done int64)
	span     int64
	marked   time.Time
	// fresh is true for a job of this call, which goes as long as nothing is done.
	fresh bool
}

// beginJob makes a job that makes rec of n bytes. It fills in what does not
// depend on the kind of the job.
func (s *Store) beginJob(ctx context.Context, job catalog.Job, rec *catalog.Record, sp Spec, n int64) (*work, error) {
	id := catalog.NewID()
	lock, err := filelock.TryLock(s.lockPath(), storageKey(id), filelock.Exclusive)
	if err != nil {
		return nil, fmt.Errorf("lock storage %v: %w", id, err)
	}
	rec.Storage = id
	job.Record, job.ColumnMajor, job.Sparse = *rec, sp.Order == ColumnMajor, sp.Reserve == Sparse
	job.Total, job.Writer = n, writerName()
	w := &work{store: s, ctx: ctx, job: job, lock: lock, span: jobSpan, fresh: true}
	if err = w.start(); err == nil {
		err = s.syncDir(s.path(tmpDir))
	}
	if err == nil {
		err = s.commit(ctx, func(c *catalog.Tx) error { return c.PutJob(w.job) })
	}
	if err != nil {
		return nil, w.end(err)
	}
	w.marked = time.Now()
	return w, nil
}

// reopenJob takes up a job.
func (s *Store) reopenJob(ctx context.Context, id catalog.ID) (*work, error) {
	lock, err := s.lockJob(ctx, id)
	if err != nil {
		return nil, err
	}
	w := &work{store: s, ctx: ctx, lock: lock, span: jobSpan}
	err = s.commit(ctx, func(c *catalog.Tx) (err error) {
		if w.job, err = c.Job(id); err != nil {
			return err
		}
		w.job.State, w.job.Err, w.job.Writer = catalog.JobRunning, "", writerName()
		return c.PutJob(w.job)
	})
	if err == nil {
		err = w.takeUp()
	}
	if err != nil {
		return nil, errors.Join(err, w.release())
	}
	w.marked = time.Now()
	return w, nil
}

// storage is the record of the storage that is made.
func (w *work) storage() catalog.Storage {
	return catalog.Storage{ID: w.job.ID(), HeaderBytes: headerBytes, PayloadBytes: w.job.Total, Sparse: w.job.Sparse, Created: time.Now().UTC()}
}

// start begins at the first element.
func (w *work) start() error {
	w.job.Done, w.job.SumsCheck, w.job.Boot = 0, 0, ""
	st, err := w.store.stage(w.storage())
	if err != nil {
		return err
	}
	w.hold(st)
	how := Preallocate
	if w.job.Sparse {
		how = Sparse
	}
	if err := st.reserve(w.job.Total, how); err != nil {
		return fmt.Errorf("reserve %d bytes: %w", headerBytes+w.job.Total, err)
	}
	if w.job.Seal {
		w.sums, err = w.store.newJobSums(w.job.ID())
	}
	return err
}

// takeUp opens the files as the last process left them. Where they don't have what
// the job says, as after a loss of power that the store's durability does not
// survive, it starts anew.
func (w *work) takeUp() error {
	if err := w.bringBack(); err != nil {
		return err
	}
	f, err := w.store.fs.OpenFile(w.store.path(jobData(w.job.ID())), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return w.start()
	}
	if err != nil {
		return err
	}
	st := &staged{store: w.store, storage: w.storage(), tmp: f.Name(), final: finalFile(w.job.ID()), file: f}
	w.hold(st)
	whole, err := w.isWhole()
	if whole || err != nil {
		return err
	}
	if err := w.close(); err != nil {
		return err
	}
	return w.start()
}

// isWhole reports whether the files have what the job says.
func (w *work) isWhole() (bool, error) {
	fi, err := w.file.file.Stat()
	if err != nil {
		return false, err
	}
	if fi.Size() != headerBytes+w.job.Total || isUnwritten(catalog.Storage{Boot: w.job.Boot}) {
		return false, nil
	}
	if !w.job.Seal {
		return true, nil
	}
	w.sums, err = w.store.openJobSums(&w.job)
	return w.sums != nil, err
}

// bringBack moves the data back from where a process that died had published it.
func (w *work) bringBack() error {
	gc, err := w.store.lockGC(w.ctx, filelock.Shared)
	if err != nil {
		return err
	}
	defer gc.Unlock()
	id := w.job.ID()
	if _, err := w.store.fs.Stat(w.store.path(jobData(id))); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	err = w.store.fs.Rename(w.store.path(finalFile(id)), w.store.path(jobData(id)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// hold takes over a file, with the header that it is to have.
func (w *work) hold(st *staged) {
	st.kept = true
	st.header.dtype, st.header.spare.Name, st.header.spare.Dims = w.job.Record.DType, w.job.Record.Name, w.job.Record.Dims
	for _, n := range w.job.Record.Shape {
		st.header.shape = append(st.header.shape, int(n))
	}
	if w.job.ColumnMajor {
		st.header.order = ColumnMajor
	}
	w.file = st
}

// tell is what is told of progress.
func (w *work) tell(o *compute.Options) {
	if o.Progress == nil {
		return
	}
	total := w.job.Total
	w.progress = func(done int64) { o.Progress(compute.Progress{Done: done, Total: total, Pass: 1, Passes: 1}) }
}

// copyFrom copies what is not done yet.
func (w *work) copyFrom(src io.ReaderAt) error {
	for w.job.Done < w.job.Total {
		n := min(w.span, w.job.Total-w.job.Done)
		sums, err := w.copyRange(src, n)
		if err != nil {
			return err
		}
		if err := w.mark(w.job.Done+n, sums); err != nil {
			return err
		}
	}
	return w.ctx.Err()
}

// copyRange copies the next n bytes, and returns the checksums of their blocks if
// they are wanted.
func (w *work) copyRange(src io.ReaderAt, n int64) ([]uint64, error) {
	done := w.job.Done
	o := &fsx.StreamOptions{}
	if w.progress != nil {
		o.Progress = func(n int64) { w.progress(done + n) }
	}
	var sums *blocksum.Collector
	if w.sums != nil {
		sums = blocksum.NewCollector(w.job.ID(), done/blocksum.BlockBytes)
		o.Tee = tee(sums, headerBytes)
	}
	out := fsx.NewStreamWriter(w.file.file, headerBytes+done, o)
	if err := out.CopyAt(w.ctx, io.NewSectionReader(src, done, n), 0, n); err != nil || sums == nil {
		return nil, err
	}
	return sums.Sums(done + n)
}

// fillFrom computes what is not done yet.
func (w *work) fillFrom(stream *compute.Stream) error {
	dst, err := w.file.mapped()
	if err != nil {
		return err
	}
	size := int64(w.job.Record.DType.Size())
	err = stream.Fill(dst, int(w.job.Done/size), func(n int) error {
		done := int64(n) * size
		if done < w.job.Done+w.span && done < w.job.Total {
			return nil
		}
		return w.markMapped(dst, done)
	})
	return errors.Join(err, dst.Release())
}

// markMapped is mark for elements that are stored to a mapping.
func (w *work) markMapped(dst *mmapstore.Storage, done int64) error {
	if w.store.level == DurabilityPower {
		if err := dst.Flush(w.job.Done, done-w.job.Done); err != nil {
			return w.store.poison(fmt.Errorf("sync %s: %w", w.file.tmp, err))
		}
	}
	return w.mark(done, nil)
}

// mark makes what is done durable, and then notes it, even when ctx has ended
// meanwhile.
func (w *work) mark(done int64, sums []uint64) error {
	if err := w.store.syncFile(w.file.file); err != nil {
		return w.store.poison(fmt.Errorf("sync %s: %w", w.file.tmp, err))
	}
	if w.sums != nil {
		if err := w.sums.add(sums); err != nil {
			return err
		}
		w.job.SumsCheck = w.sums.check
	}
	w.job.Done, w.job.Boot = done, w.store.stamp()
	if err := w.store.commit(context.WithoutCancel(w.ctx), w.note); err != nil {
		return err
	}
	switch took := time.Since(w.marked); {
	case took < shortSpan:
		w.span = min(2*w.span, maxJobSpan)
	case took > longSpan:
		w.span = max(w.span/2, jobSpan)
	}
	w.marked = time.Now()
	return nil
}

// note puts the job as it stands, unless somebody has cancelled it.
func (w *work) note(c *catalog.Tx) error {
	if err := w.mustGoOn(c); err != nil {
		return err
	}
	return c.PutJob(w.job)
}

func (w *work) mustGoOn(c *catalog.Tx) error {
	now, err := c.Job(w.job.ID())
	if err == nil && now.State == catalog.JobCancelled {
		err = ErrCancelled
	}
	return err
}
