package work

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/storefile"
)

// storageOf returns the record of the storage that is made for a tensor.
func (w *jobRun) storageOf(rec *catalog.Record) catalog.Storage {
	n := int64(rec.DType.Size())
	for _, size := range rec.Shape {
		n *= size
	}
	return catalog.Storage{ID: rec.Storage, HeaderBytes: storefile.HeaderBytes, PayloadBytes: n, Sparse: w.job.Sparse, Created: time.Now().UTC()}
}

// start creates the job's files, durably and without elements.
func (w *jobRun) start() error {
	for _, rec := range w.job.Records() {
		storage := w.storageOf(&rec)
		st, err := w.stage(storage)
		if err != nil {
			return err
		}
		w.addFile(st, &rec)
		if err := st.Reserve(w.ctx, storage.PayloadBytes, w.job.Sparse); err != nil {
			return fmt.Errorf("reserve %d bytes: %w", storefile.HeaderBytes+storage.PayloadBytes, err)
		}
	}

	if w.job.Seal {
		var err error
		if w.sums, err = w.store.newJobSums(w.job.ID()); err != nil {
			return err
		}
	}

	// The names must be durable before the catalog has the job.
	return w.store.Engine.SyncDir(w.store.Engine.Path(storefile.TmpDir))
}

// stage begins the file of a storage, under the name that belongs to the job. A file of that name
// was left by an earlier run of the job, whose lock is held.
func (w *jobRun) stage(st catalog.Storage) (*engine.Staged, error) {
	tmp := storefile.JobData(st.ID)
	if err := w.store.Engine.FS.Remove(w.store.Engine.Path(tmp)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return w.store.Engine.StageIn(tmp, st, st.File())
}

// startAnew drops the work that is done. It commits that before it makes new files. Otherwise,
// after a crash in between, the next process would mistake the new, empty files for the old ones
// with data.
func (w *jobRun) startAnew() error {
	w.job.Done, w.job.SumsCheck, w.job.Boot, w.job.Checkpoint = 0, 0, "", catalog.JobCheckpoint{}
	if err := w.store.Engine.Commit(w.ctx, w.note); err != nil {
		return err
	}
	return w.start()
}

// reopenFiles opens the files as the last process left them. It starts anew if they don't have what
// the job says, as after a power loss that the store's durability does not survive.
func (w *jobRun) reopenFiles() error {
	if err := w.bringBack(); err != nil {
		return err
	}
	whole, err := w.open()
	if err == nil && whole {
		whole, err = w.isWhole()
	}
	if whole || err != nil {
		return err
	}
	if err := w.close(); err != nil {
		return err
	}
	return w.startAnew()
}

// open opens the files of the elements. It returns false if one is missing.
func (w *jobRun) open() (bool, error) {
	for _, rec := range w.job.Records() {
		f, err := w.store.Engine.FS.OpenFile(w.store.Engine.Path(storefile.JobData(rec.Storage)), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		w.addFile(w.store.Engine.StageFile(f, f.Name(), w.storageOf(&rec), storefile.Final(rec.Storage)), &rec)
	}
	return true, nil
}

// isWhole reports whether the files have what the job says.
func (w *jobRun) isWhole() (bool, error) {
	if engine.IsUnwritten(catalog.Storage{Boot: w.job.Boot}) {
		return false, nil
	}
	for _, st := range w.files {
		fi, err := st.File.Stat()
		if err != nil || fi.Size() != storefile.HeaderBytes+st.Storage.PayloadBytes {
			return false, err
		}
	}
	if !w.job.Seal {
		return true, nil
	}
	var err error
	w.sums, err = w.store.openJobSums(&w.job)
	return w.sums != nil, err
}

// bringBack renames the data back, if a process published it and died before its commit.
func (w *jobRun) bringBack() error {
	gc, err := w.store.Engine.LockGC(w.ctx, filelock.Shared)
	if err != nil {
		return err
	}
	defer gc.Unlock()

	// Under its final name no record has the file, so gc would remove it: the lock keeps gc out.
	for _, rec := range w.job.Records() {
		id := rec.Storage
		if _, err := w.store.Engine.FS.Stat(w.store.Engine.Path(storefile.JobData(id))); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}

		err := w.store.Engine.FS.Rename(w.store.Engine.Path(storefile.Final(id)), w.store.Engine.Path(storefile.JobData(id)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// addFile adds the file of a tensor to those of the job, with the header that it is to have.
func (w *jobRun) addFile(st *engine.Staged, rec *catalog.Record) {
	st.Kept = true
	st.Header.DType, st.Header.Spare.Name, st.Header.Spare.Dims = rec.DType, rec.Name, rec.Dims
	for _, n := range rec.Shape {
		st.Header.Shape = append(st.Header.Shape, int(n))
	}
	st.Header.Fortran = w.job.ColumnMajor
	w.files = append(w.files, st)
}

// removeRest removes the files that are no part of what was published.
func (w *jobRun) removeRest() error {
	var errs []error
	for _, st := range w.files {
		if !st.Published {
			errs = append(errs, w.store.Engine.FS.Remove(st.Tmp))
		}
	}
	if w.sums != nil {
		errs = append(errs, w.store.Engine.FS.Remove(w.sums.file.Name()))
	}
	return errors.Join(append(errs, w.removeStates())...)
}

// close closes the files.
func (w *jobRun) close() error {
	var errs []error
	for _, st := range w.files {
		errs = append(errs, st.FreeLater(st.File.Close))
	}
	if w.sums != nil {
		errs = append(errs, w.sums.file.Close())
	}
	w.files, w.sums = nil, nil
	return errors.Join(errs...)
}

// release closes the files and gives the lock back.
func (w *jobRun) release() error { return errors.Join(w.close(), w.lock.Unlock()) }
