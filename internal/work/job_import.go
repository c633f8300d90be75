package work

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/store"
)

// importAsJob imports as a job if that is wanted and possible. job is false if it did nothing.
func (s *Store) importAsJob(ctx context.Context, name string, src store.Source, o *ImportOptions) (job bool, err error) {
	if o == nil || !o.Journal.asked() {
		return false, nil
	}

	src.Spec = src.Spec.Clone()
	rec, _, n, err := src.Record(name)
	if err != nil || !o.Journal.wants(n) {
		return false, err
	}

	// What is no longer there in the next process can't be resumed.
	if s.Within != nil {
		return false, o.Journal.refuse(partOfTx)
	}
	if src.Origin == nil {
		return false, o.Journal.refuse("the elements don't come from a regular file")
	}
	from, err := describe(src.Origin)
	if err != nil {
		return false, o.Journal.refuse(err.Error())
	}

	end, err := s.Engine.BeginChange()
	if err != nil {
		return false, err
	}
	defer end()

	// A name that is taken must fail before the work, not after hours.
	if _, err := s.importMethod(ctx, name, o); err != nil {
		return false, err
	}

	w, err := s.beginJob(ctx, catalog.Job{Kind: catalog.JobImport, From: from, Replace: o.Overwrite, Seal: src.Seal}, rec, src.Spec, n)
	if err != nil {
		return false, err
	}

	w.progress = src.Progress
	return true, w.end(w.importFrom(src.Origin))
}

// describe returns what the catalog keeps of an origin. It returns an error if another process
// could not find the origin again.
func describe(o *store.Origin) (catalog.JobFile, error) {
	path, err := filepath.Abs(o.File.Name())
	if err != nil {
		return catalog.JobFile{}, err
	}
	fi, err := o.File.Stat()
	if err != nil {
		return catalog.JobFile{}, err
	}
	there, err := os.Stat(path)
	if err != nil || !os.SameFile(fi, there) || !fi.Mode().IsRegular() {
		return catalog.JobFile{}, fmt.Errorf("%s is no longer the file that was opened", path)
	}
	return catalog.JobFile{Path: path, Offset: o.Offset, BigEndian: o.BigEndian, Identity: engine.Identity(fsx.IdentityOf(fi))}, nil
}

// resumeImport goes on with an import.
func (w *jobRun) resumeImport(o *ResumeOptions) error {
	w.tell(&o.Compute)
	f, err := fsx.Open(w.job.From.Path)
	if err != nil {
		return fmt.Errorf("%w: %w", store.ErrInputChanged, err)
	}
	defer f.Close()
	return w.importFrom(&store.Origin{File: f, Offset: w.job.From.Offset, BigEndian: w.job.From.BigEndian})
}

// importFrom copies the elements that are not in the store yet, and publishes all.
func (w *jobRun) importFrom(o *store.Origin) error {
	same := func() error { return fileMustBe(o.File, w.job.From) }
	if err := same(); err != nil {
		return err
	}
	src, ok := o.Data(w.job.Record.DType, w.job.Total).(io.ReaderAt)
	if !ok {
		return errors.New("BUG: tstore: an origin that can't be read at an offset")
	}
	if err := w.copyFrom(src); err != nil {
		return err
	}
	return w.publish(func(*store.Tx) error { return same() })
}
