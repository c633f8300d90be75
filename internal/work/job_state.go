package work

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storefile"
)

// A job's state holds what its results don't show yet, such as the sums of a part. It lies in one
// of two files in turn, so that the file that the catalog names does not change.

// putState writes the state of a checkpoint into one of two files in turn, as durably as the store
// keeps anything, and notes the file in at. The file of the last checkpoint stays until this one is
// noted.
func (w *jobRun) putState(at *catalog.JobCheckpoint, state []byte) (err error) {
	turn := uint32(1)
	if w.job.Checkpoint.StateFile == 1 {
		turn = 2
	}

	f, err := w.store.Engine.FS.OpenFile(w.store.Engine.Path(storefile.JobExtra(w.job.ID(), uint64(turn))), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	if _, err := f.WriteAt(state, 0); err != nil {
		return err
	}

	// Bytes first, then the name. After a failed sync nobody knows what is on the disk.
	if err := w.store.Engine.SyncFile(f); err != nil {
		return w.store.Engine.Poison(err)
	}
	if err := w.store.Engine.SyncDir(w.store.Engine.Path(storefile.TmpDir)); err != nil {
		return w.store.Engine.Poison(err)
	}

	at.StateFile, at.StateBytes, at.StateCheck = turn, int64(len(state)), checkOf(0, state)
	return nil
}

// state reads the state that the catalog names. It returns nil if there is none, or if the file
// does not have it: the work then goes on from an earlier point.
func (w *jobRun) state() ([]byte, error) {
	p := w.job.Checkpoint
	if p.StateFile == 0 {
		return nil, nil
	}

	f, err := w.store.Engine.FS.OpenFile(w.store.Engine.Path(storefile.JobExtra(w.job.ID(), uint64(p.StateFile))), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	defer f.Close()
	if fi, err := f.Stat(); err != nil || fi.Size() != p.StateBytes {
		return nil, err
	}

	state, err := io.ReadAll(io.NewSectionReader(f, 0, p.StateBytes))
	if err != nil || checkOf(0, state) != p.StateCheck {
		return nil, err
	}
	return state, nil
}

// removeStates removes the files of states.
func (w *jobRun) removeStates() error {
	if w.job.Kind == catalog.JobImport {
		return nil
	}
	var errs []error
	for n := range uint64(2) {
		if err := w.store.Engine.FS.Remove(w.store.Engine.Path(storefile.JobExtra(w.job.ID(), n+1))); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
