package work

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/store"
)

// Opened is something that was read from the store: a *store.Tensor or a *Reading.
type Opened interface {
	// LookedUp yields the names that the elements come from, with the entries that were found.
	LookedUp() iter.Seq2[string, *catalog.Entry]
}

// GetAll opens several selectors as Get opens one, all in the state of one commit.
func (s *Store) GetAll(ctx context.Context, sels ...string) ([]*store.Tensor, error) {
	var all []*store.Tensor
	err := s.oneState(ctx, func(*pins) (err error) {
		all, err = s.getTogether(ctx, sels)
		return err
	})
	return all, err
}

func (s *Store) getTogether(ctx context.Context, sels []string) (all []*store.Tensor, err error) {
	defer func() {
		if err != nil {
			for _, t := range all {
				err = errors.Join(err, t.Close())
			}
			all = nil
		}
	}()

	var opened []Opened
	for _, sel := range sels {
		t, err := s.Get(ctx, sel)
		if err != nil {
			return all, err
		}
		all, opened = append(all, t), append(opened, t)
	}
	return all, s.OneState(ctx, opened...)
}

// OneState returns ErrConflict unless all elements read from opened belong to one state of the
// store, the present one.
func (s *Store) OneState(ctx context.Context, opened ...Opened) error {
	all := func(yield func(string, *catalog.Entry) bool) {
		for _, o := range opened {
			for name, e := range o.LookedUp() {
				if !yield(name, e) {
					return
				}
			}
		}
	}

	// Current compares without a transaction, which is enough nearly always.
	if s.Within != nil || s.Engine.Options.AllowDirty || s.Engine.Catalog.Current(all) {
		return s.Engine.CheckOpen()
	}

	var names []string
	err := s.Engine.Catalog.View(ctx, func(c *catalog.Tx) (err error) {
		names, err = store.ChangedSince(c, all)
		return err
	})
	if err != nil || names == nil {
		return err
	}

	return &tornError{names: slices.Compact(names), locked: true}
}

// LookedUp yields the names that the elements are from, with their entries.
func (r *Reading) LookedUp() iter.Seq2[string, *catalog.Entry] {
	if r.tensor != nil {
		return r.tensor.LookedUp()
	}
	return r.ev.LookedUp()
}
