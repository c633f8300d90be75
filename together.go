package tstore

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// Opened is a *Tensor or a *Reading.
type Opened interface {
	// lookedUp returns what the elements are from, by name.
	lookedUp() iter.Seq2[string, *catalog.Entry]
}

// GetAll opens several selectors as Get opens one, all in the state of one commit. As with Get, the
// tensors show small changes that are made in place later: OneState finds them.
func (s *Store) GetAll(ctx context.Context, sels ...string) ([]*Tensor, error) {
	var all []*Tensor
	err := s.oneState(ctx, func(*pins) (err error) {
		all, err = s.getTogether(ctx, sels)
		return err
	})
	return all, err
}

func (s *Store) getTogether(ctx context.Context, sels []string) (all []*Tensor, err error) {
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
// store, the present one. Otherwise others have changed, made or removed some of them since they
// were opened: open and read them again. In a transaction it returns nil, since the commit tells.
func (s *Store) OneState(ctx context.Context, opened ...Opened) error {
	all := func(yield func(string, *catalog.Entry) bool) {
		for _, o := range opened {
			for name, e := range o.lookedUp() {
				if !yield(name, e) {
					return
				}
			}
		}
	}

	// Current compares without a transaction, which is enough nearly always.
	if s.within != nil || s.eng.Options.AllowDirty || s.eng.Catalog.Current(all) {
		return s.eng.CheckOpen()
	}

	var names []string
	err := s.eng.Catalog.View(ctx, func(c *catalog.Tx) (err error) {
		names, err = changedSince(c, all)
		return err
	})
	if err != nil || names == nil {
		return err
	}

	return &tornError{names: slices.Compact(names), locked: true}
}

func (t *Tensor) lookedUp() iter.Seq2[string, *catalog.Entry] {
	return func(yield func(string, *catalog.Entry) bool) {
		switch {
		case t.Info.Copied:
			maps.All(t.computedFrom)(yield)
		case t.Info.Selector.Snapshot == "":
			yield(t.Info.Selector.Name, t.Info.Entry)
		}
	}
}

func (r *Reading) lookedUp() iter.Seq2[string, *catalog.Entry] {
	if r.tensor != nil {
		return r.tensor.lookedUp()
	}
	return r.ev.lookedUp()
}
