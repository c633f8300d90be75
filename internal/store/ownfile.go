package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/npyheader"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/storefile"
)

// File returns the path of a .npy file that is exactly the tensor that sel names: numpy.load of it
// gives that tensor's dtype (bfloat16 and float8 as bytes without a meaning, as NumPy has no word
// for them), shape and elements.
func (s *Store) File(ctx context.Context, sel string) (string, error) {
	t, err := s.Get(ctx, sel)
	if err != nil {
		return "", err
	}
	path := s.Engine.DataPath(t.Info.Storage)
	if err := errors.Join(s.mustBeFile(ctx, t.Info, path), t.Close()); err != nil {
		return "", fmt.Errorf("file of %s: %w", sel, err)
	}
	return path, nil
}

// mustBeFile returns ErrNoFile unless the file of info's storage is a .npy file of what info
// describes.
func (s *Store) mustBeFile(ctx context.Context, info *Info, path string) error {
	f, err := s.Engine.FS.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return s.Engine.MovedOrMissing(ctx, info.Storage, err)
	}
	defer f.Close()

	h, sp, err := storefile.ParseHeader(io.NewSectionReader(f, 0, info.Storage.HeaderBytes))
	bare := err != nil || h.DataOffset != info.Storage.HeaderBytes
	switch {
	case info.Storage.Adopted && bare:
		return fmt.Errorf("%w: its elements are bare ones in %s, which was adopted: copy them, with: tstore cp", ErrNoFile, path)
	case bare:
		return fmt.Errorf("%w: the header of %s is damaged: mend it with: tstore fsck --repair", ErrNoFile, path)
	case sp.Pack != nil && info.Selector.Snapshot != "":
		return fmt.Errorf("%w: it shares a file with other small tensors: copy it, with: tstore cp", ErrNoFile)
	case sp.Pack != nil:
		return fmt.Errorf("%w: it shares a file with other small tensors: give it one of its own, with: tstore path --materialize", ErrNoFile)
	case !describes(h, info):
		return fmt.Errorf("%w: it is a part of the array in its file, or has another layout: copy it, with: tstore cp", ErrNoFile)
	}
	return nil
}

// describes reports whether a header is that of the tensor, whose elements begin right behind it.
func describes(h npyheader.Header, info *Info) bool {
	l := info.Layout
	sameType := h.DType == info.DType || !h.DType.Valid() && h.PayloadBytes() == info.spanBytes()
	sameOrder := l.IsContiguous() && (!h.Fortran || l.IsFortran()) || l.IsFortran() && h.Fortran
	return sameType && sameOrder && !h.Swapped && l.Offset() == 0 && slices.Equal(h.Shape, l.Shape())
}

// OwnFile is File for a tensor that may have no file of its own.
func (s *Store) OwnFile(ctx context.Context, name string) (string, error) {
	path, err := s.File(ctx, name)
	if !errors.Is(err, ErrNoFile) {
		return path, err
	}

	end, err := s.Engine.BeginChange()
	if err != nil {
		return "", err
	}
	defer end()

	// A packed tensor moves out of its shared file, and its views go along.
	if _, err := s.takeOut(ctx, name); err != nil {
		return "", fmt.Errorf("file of %q: %w", name, err)
	}

	path, err = s.File(ctx, name)
	if !errors.Is(err, ErrNoFile) {
		return path, err
	}

	// What is no file as it lies, such as every other row, becomes one by a copy, if that leaves no
	// view behind.
	if err := s.copyAlone(ctx, name); err != nil {
		return "", fmt.Errorf("file of %q: %w", name, err)
	}
	return s.File(ctx, name)
}

// copyAlone replaces a tensor, which shares no elements with others, by a copy in a file of its
// own.
func (s *Store) copyAlone(ctx context.Context, name string) error {
	t, err := s.Get(ctx, name)
	if err != nil {
		return err
	}
	defer t.Close()
	if t.Info.Storage.Adopted {
		return fmt.Errorf("%w: it is in the adopted file %s: copy it, with: tstore cp", ErrNoFile, t.Info.Storage.Path)
	}

	// A copy of damaged elements must not get a new seal.
	if err := s.verifyOpened(ctx, t); err != nil {
		return err
	}

	src := FromTensor(t.Tensor)
	src.Seal = t.Info.Storage.Seal != nil

	// The copy replaces the tensor only if nobody has changed or sealed it, or named its elements,
	// since it was read.
	return s.Join(ctx, func(tx *Tx) error {
		if err := tx.AtCommit("replace", name, func(c *catalog.Tx) error {
			return errors.Join(s.MustBeAsSeen(c, name, t.Info), mustBeSealedAs(c, t.Info), mustBeAlone(c, t.Info))
		}); err != nil {
			return err
		}
		return tx.replace(name, src)
	})
}

// mustBeAlone returns ErrNoFile if another name may have elements of the tensor.
func mustBeAlone(c *catalog.Tx, info *Info) error {
	names, err := c.Sharers(info.Storage.ID, 0)
	if err != nil {
		return err
	}

	first, end := info.Bytes()
	for _, name := range names {
		rec, err := c.Get(name)
		if err != nil {
			return err
		}

		lo, hi, err := record.Bytes(rec)
		if err != nil {
			return err
		}
		if name != info.Record.Name && lo < end && first < hi {
			return fmt.Errorf("%w: it shares elements with %q, and would not in a file of its own: copy it to another name, with: tstore cp", ErrNoFile, name)
		}
	}
	return nil
}
