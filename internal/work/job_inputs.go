package work

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/store"
)

// inputsAre returns ErrInputChanged if the opened inputs are not those of the job. failed is the
// error of opening them, which a changed input may have caused.
func (w *jobRun) inputsAre(now []catalog.Input, failed error) error {
	for _, was := range w.job.Inputs {
		in, err := w.store.formulaInput(w.ctx, was, map[string]bool{})
		switch {
		case err != nil:
			return errors.Join(failed, err)
		case in.State == InputMissing:
			return fmt.Errorf("%w: %q is gone", store.ErrInputChanged, was.Name)
		case in.State == InputChanged:
			return fmt.Errorf("%w: %q has version %d, the job began with version %d of it", store.ErrInputChanged, was.Name, in.Now, was.Version)
		}
	}
	if failed == nil && !slices.Equal(now, w.job.Inputs) {
		return fmt.Errorf("%w: it reads other names now", store.ErrInputChanged)
	}
	return failed
}

// fileMustBe returns ErrInputChanged if an open file is not the one that an import began with.
func fileMustBe(f *os.File, was catalog.JobFile) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	now := engine.Identity(fsx.IdentityOf(fi))
	now.Dev = was.Identity.Dev // numbers of file systems change when the machine starts
	if now == was.Identity {
		return nil
	}
	return fmt.Errorf("%w: %s has %d bytes, inode %d and time %d, it had %d bytes, inode %d and time %d", store.ErrInputChanged, was.Path,
		now.Size, now.Inode, now.MTimeNs, was.Identity.Size, was.Identity.Inode, was.Identity.MTimeNs)
}
