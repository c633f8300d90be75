package store

import (
	"context"
	"fmt"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blockscan"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/fsx"
)

// SealOptions of Seal.
type SealOptions struct {
	Progress func(done, total int64)
}

// Seal makes a tensor immutable, and records a checksum of each 64 KiB of its storage.
func (s *Store) Seal(ctx context.Context, name string, o *SealOptions) error {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return err
	}
	defer end()
	if o == nil {
		o = &SealOptions{}
	}
	if err := s.withStorage(ctx, name, func(now *Info) error { return s.seal(ctx, now, o) }); err != nil {
		return fmt.Errorf("seal %q: %w", name, err)
	}
	return nil
}

// Unseal allows changes of the elements of a tensor, and of all others that share its storage, and
// drops their checksums.
func (s *Store) Unseal(ctx context.Context, name string) error {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return err
	}
	defer end()
	if err := s.withStorage(ctx, name, func(now *Info) error { return s.unseal(ctx, now) }); err != nil {
		return fmt.Errorf("unseal %q: %w", name, err)
	}
	return nil
}

// withStorage runs fn on a tensor whose storage is clean and locked. It tries again if the tensor
// has moved meanwhile.
func (s *Store) withStorage(ctx context.Context, name string, fn func(now *Info) error) error {
	sel := Selector{Name: name}
	return engine.UntilStill(func() error {
		info, err := s.StatSelected(ctx, sel)
		if err != nil {
			return err
		}

		lock, err := s.Engine.LockStorage(ctx, info.Storage.ID, name)
		if err != nil {
			return err
		}
		defer lock.Unlock()

		// What was seen before the lock may be out of date.
		now, err := s.StatLocked(ctx, sel, info.Storage.ID)
		if err != nil {
			return err
		}
		return fn(now)
	}, func() bool { return true })
}

func (s *Store) seal(ctx context.Context, now *Info, o *SealOptions) error {
	st := now.Storage
	if st.Seal != nil {
		return nil
	}

	// Reading takes long, and the commit below notices a change meanwhile.
	sums, err := s.sumUp(ctx, st, o)
	if err != nil {
		return err
	}
	files, err := s.Engine.StageSeal(&st, sums)
	if err != nil {
		return err
	}

	return s.Engine.Publish(ctx, files, func(c *catalog.Tx) error {
		current, err := engine.StorageOf(c, st.ID)
		if err != nil {
			return err
		}

		if !engine.SameFile(current, st) {
			return fmt.Errorf("%w: its storage was restored while it was read: try again", ErrConflict)
		}
		if err := mustStillName(c, now); err != nil {
			return err
		}
		if current.Adopted {
			if err := engine.CheckAdopted(s.Engine.FS, current); err != nil {
				return err
			}
		}

		current.Seal = st.Seal
		if stamp := s.Engine.Stamp(); stamp != "" && len(files) > 0 && !st.Adopted {
			current.Boot = stamp // the file of the sums is not synced
		}
		return c.PutStorage(current)
	})
}

// sumUp reads a storage and returns its checksums.
func (s *Store) sumUp(ctx context.Context, st catalog.Storage, o *SealOptions) ([]uint64, error) {
	if st.Adopted {
		if err := engine.CheckAdopted(s.Engine.FS, st); err != nil {
			return nil, err
		}
	}

	f, err := s.Engine.OpenData(ctx, st, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	r := Summing{File: f, Storage: st}
	if o.Progress != nil {
		var done int64
		r.progress = func(n int64) { done += n; o.Progress(done, st.PayloadBytes) }
	}
	return r.Run(ctx)
}

// Summing computes the checksums of a storage whose payload is in File.
type Summing struct {
	File    fsx.File
	Storage catalog.Storage
	// Look, if set, is called with whole blocks and their offset in the payload, by several goroutines
	// at once. An error of it ends Run.
	Look     func(p []byte, off int64) error
	progress func(n int64) // as that of scan
}

// Run reads the payload with several goroutines and returns the sum of each block. It returns an
// error if ctx ends or a byte can't be read.
func (r *Summing) Run(ctx context.Context) ([]uint64, error) {
	st := r.Storage
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	sums := blocksum.NewCollector(st.ID, 0)
	sc := blockscan.Scan{
		File: r.File, Base: st.HeaderBytes, Hi: st.PayloadBytes, Progress: r.progress,
		Each: func(p []byte, off int64) {
			if r.Look != nil {
				if err := r.Look(p, off); err != nil {
					cancel(err)
				}
			}
			sums.Add(p, off)
		},
		Bad: func(off, n int64, err error) {
			cancel(fmt.Errorf("read bytes %d to %d of %s: %w", st.HeaderBytes+off, st.HeaderBytes+off+n, r.File.Name(), err))
		},
	}

	err := sc.Run(ctx)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return nil, err
	}
	return sums.Sums(st.PayloadBytes)
}

func (s *Store) unseal(ctx context.Context, now *Info) error {
	if now.Storage.Seal == nil {
		return nil
	}
	return s.Engine.MarkStorage(ctx, now.Storage.ID, func(c *catalog.Tx, st catalog.Storage) error {
		if err := mustStillName(c, now); err != nil {
			return err
		}
		st.Seal = nil
		return c.PutStorage(st)
	})
}

// mustBeSealedAs returns ErrConflict if the storage of a tensor was sealed or unsealed since the
// tensor was seen: a copy that takes its place is sealed as it was then.
func mustBeSealedAs(c *catalog.Tx, seen *Info) error {
	now, err := engine.StorageOf(c, seen.Storage.ID)
	if err == nil && !engine.SealedAs(now, seen.Storage) {
		err = fmt.Errorf("%w: it was sealed or unsealed while it was copied: try again", ErrConflict)
	}
	return err
}

// seals reports whether the checksums of its elements are to be recorded.
func (src Source) seals() bool { return src.Seal && src.Data != nil }

// seal seals a staged storage whose payload has been written, if it has sums.
func (tx *Tx) seal(st *engine.Staged) error {
	if st.Sums == nil {
		return nil
	}
	sums, err := st.Sums.Sums(st.Storage.PayloadBytes)
	if err != nil {
		return err
	}
	files, err := tx.Base.Engine.StageSeal(&st.Storage, sums)
	tx.Files = append(tx.Files, files...)
	return err
}
