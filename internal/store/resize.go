package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/view"
)

// ErrDrops is returned by Grow for a shape that not all elements fit in.
var ErrDrops = errors.New("elements would be dropped")

// Resize gives a tensor another shape of the same rank.
func (s *Store) Resize(ctx context.Context, name string, shape ...int) error {
	return s.resizing(ctx, &resizing{name: name, shape: shape})
}

// Grow is Resize that drops no element.
func (s *Store) Grow(ctx context.Context, name string, shape ...int) error {
	return s.resizing(ctx, &resizing{name: name, shape: shape, keeps: true})
}

// A resizing is what Resize and Grow are asked for.
type resizing struct {
	name  string
	shape []int
	keeps bool // all elements
}

func (s *Store) resizing(ctx context.Context, r *resizing) error {
	end, err := s.Engine.BeginChange()
	if err != nil {
		return err
	}
	defer end()
	if err := s.resize(ctx, r); err != nil {
		return fmt.Errorf("resize %q: %w", r.name, err)
	}
	return nil
}

// resize looks at the tensor, and chooses a way. Each way changes what was seen here and nothing
// else: where another writer came first, it looks again, or is a conflict.
func (s *Store) resize(ctx context.Context, r *resizing) error {
	name, shape := r.name, r.shape
	info, err := s.StatSelected(ctx, Selector{Name: name})
	if err != nil {
		return err
	}

	way, err := info.resizeWay(shape)
	if err != nil {
		return err
	}

	if have := info.Layout.Shape(); r.keeps {
		if n := outside(have, shape); n > 0 {
			return fmt.Errorf("%w: %d of %s lie outside of %s", ErrDrops, n, ShapeText(have), ShapeText(shape))
		}
	}

	if info.Storage.Seal != nil {
		return info.sealedError()
	}

	switch way {
	case resizeNarrows:
		return s.narrow(ctx, name, info, shape[0])
	case resizeExtends:
		return s.extend(ctx, r, info)
	}

	// A copy leaves its views behind, and a tensor that fills its file does not.
	moved, err := s.takeOut(ctx, name)
	if err == nil && !moved {
		moved, err = s.reshapeByCopy(ctx, info, shape)
	}
	if err != nil || !moved {
		return err
	}
	return s.resize(ctx, r)
}

// outside counts the elements of a shape that another one of the same rank does not have.
func outside(have, shape []int) int {
	all, kept := 1, 1
	for i, n := range have {
		all, kept = all*n, kept*min(n, shape[i])
	}
	return all - kept
}

// resizeWay is how a tensor gets another shape.
type resizeWay uint8

const (
	resizeCopies  resizeWay = iota // to a storage of its own
	resizeNarrows                  // by its record alone
	resizeExtends                  // at the end of its file
)

func (i *Info) resizeWay(shape []int) (resizeWay, error) {
	have := i.Layout.Shape()
	if len(shape) != len(have) {
		return 0, fmt.Errorf("expected %d axes as in %s, found %s: resizing keeps the rank", len(have), ShapeText(have), ShapeText(shape))
	}

	if _, err := (Spec{DType: i.Record.DType, Shape: shape}).NumBytes(); err != nil {
		return 0, err
	}

	onlyFirst := len(shape) > 0 && slices.Equal(shape[1:], have[1:])
	switch {
	case onlyFirst && shape[0] <= have[0]:
		return resizeNarrows, nil
	case onlyFirst && i.growsInPlace():
		return resizeExtends, nil
	default:
		return resizeCopies, nil
	}
}

// extend adds rows of zeros, as many as are missing of shape. How many these are is known only
// under the lock: others may have appended meanwhile, or sealed the tensor.
func (s *Store) extend(ctx context.Context, r *resizing, seen *Info) error {
	g, err := s.beginGrowth(ctx, r.name, seen.Record.Storage)
	if errors.Is(err, errNotGrowable) || errors.Is(err, engine.ErrMoved) {
		return s.resize(ctx, r)
	}
	if err != nil {
		return err
	}

	// Others may have appended, or sealed the tensor, before the lock was taken: choose the way
	// again.
	if !g.info.Layout.Equal(seen.Layout) || g.info.Storage.Seal != nil {
		if err := g.end(); err != nil {
			return err
		}
		return s.resize(ctx, r)
	}

	defer g.end()
	rows := r.shape[0] - seen.Layout.Dim(0)
	more := Spec{DType: seen.Record.DType, Shape: append([]int{rows}, r.shape[1:]...)}
	return g.grow(ctx, oneSource(Source{Spec: more}))
}

// mustBeUnsealed returns ErrSealed if a tensor that was not sealed when it was seen is by now.
func mustBeUnsealed(c *catalog.Tx, seen *Info) error {
	st, err := engine.StorageOf(c, seen.Storage.ID)
	if err == nil && st.Seal != nil {
		err = seen.sealedError()
	}
	return err
}

// narrow keeps the first rows of a tensor. The rows behind them stay in the file.
func (s *Store) narrow(ctx context.Context, name string, seen *Info, rows int) error {
	l, err := seen.Layout.Index(view.Index{view.Span(0, rows)})
	if err != nil {
		return err
	}

	// Only the holder of the storage's lock writes its header. While another writer has the lock,
	// the header goes on describing more rows, which are there.
	lock, busy := s.Engine.LockStorageSoon(ctx, seen.Storage.ID, name)
	if busy == nil {
		defer lock.Unlock()
	}

	err = s.Engine.Commit(ctx, func(c *catalog.Tx) error {
		if err := s.MustBeAsSeen(c, name, seen); err != nil {
			return err
		}
		rec, err := c.Get(name)
		if err != nil {
			return err
		}
		if err := mustBeUnsealed(c, seen); err != nil {
			return err
		}
		// Fewer changes of the storage count for less of it.
		before := record.Version(&rec, &seen.Storage)
		record.SetLayout(&rec, l)
		rec.Version = before + 1 - record.Changes(&rec, &seen.Storage)
		rec.Modified, rec.Formula = time.Now().UTC(), catalog.Formula{}
		err = c.Put(rec)
		if err == nil && busy == nil {
			err = s.Engine.Describe(c, rec.Storage)
		}
		return err
	})

	if err == nil && busy == nil {
		// If this fails, repair writes the header.
		_ = s.Engine.FreshenHeader(ctx, seen.Storage.ID)
	}
	return err
}

// reshapeByCopy writes a new storage that holds what both shapes have in common, and zeros
// elsewhere. If the name stands for another tensor since seen was read, or for the same one in
// another file, reshapeByCopy changes nothing, and moved is true.
func (s *Store) reshapeByCopy(ctx context.Context, seen *Info, shape []int) (moved bool, err error) {
	name := seen.Record.Name
	old, err := s.Get(ctx, name)
	if err != nil {
		return false, err
	}
	defer old.Close()

	// It may be of another rank by now, need no copy, or share a file with its views.
	if !SameRecord(&old.Info.Record, &seen.Record) {
		return true, nil
	}
	if way, err := old.Info.resizeWay(shape); err != nil || way != resizeCopies {
		return true, err
	}

	return false, s.Join(ctx, func(tx *Tx) error {
		still := func(c *catalog.Tx) error {
			return errors.Join(s.MustBeAsSeen(c, name, old.Info), mustBeUnsealed(c, old.Info))
		}
		if err := tx.AtCommit("resize", name, still); err != nil {
			return err
		}
		return tx.replaceFilled(name, Spec{DType: old.DType(), Shape: shape}, func(t *view.Tensor) error {
			return copyCommon(ctx, t, old.Tensor)
		})
	})
}

// copyCommon copies the elements whose indexes both tensors have.
func copyCommon(ctx context.Context, dst, src *view.Tensor) error {
	to, from := dst.Shape(), src.Shape()
	common := make(view.Index, len(to))
	for i := range to {
		common[i] = view.Span(0, min(to[i], from[i]))
	}
	d, err := dst.Index(common)
	if err != nil {
		return err
	}
	f, err := src.Index(common)
	if err != nil {
		return err
	}
	return view.Copy(ctx, d, f)
}
