package tstore

import (
	"context"
	"iter"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
)

// ListOptions choose what List yields. Nil lists the root group.
type ListOptions struct {
	// Group is the group to list; empty is the root.
	Group string
	// After starts behind that name, for paging: pass the last name seen.
	After string
	// Recursive yields the contents of groups instead of the groups.
	Recursive bool
	// Snapshot lists what a snapshot holds, instead of the store as it is.
	Snapshot string
}

// List yields the tensors, blobs and groups of a group in the order of their names. No lock is held
// between pages, so that a long listing sees changes that are made meanwhile. An error ends it.
func (s *Store) List(ctx context.Context, o *ListOptions) iter.Seq2[catalog.Item, error] {
	opts := ListOptions{}
	if o != nil {
		opts = *o
	}

	return func(yield func(catalog.Item, error) bool) {
		after := opts.After
		for {
			page, err := s.listPage(ctx, opts, after)
			if err != nil {
				yield(catalog.Item{}, err)
				return
			}
			// The transaction of the page is over: the caller may change the store here.
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}

			if len(page) < engine.ListPage {
				return
			}
			after = page[len(page)-1].Name
		}
	}
}

func (s *Store) listPage(ctx context.Context, o ListOptions, after string) ([]catalog.Item, error) {
	if err := s.eng.CheckOpen(); err != nil {
		return nil, err
	}
	var page []catalog.Item
	list := func(c *catalog.Tx) (err error) {
		page, err = c.List(o.Group, after, o.Recursive, engine.ListPage)
		return err
	}
	if o.Snapshot != "" {
		err := s.eng.ViewSnapshot(ctx, o.Snapshot, list)
		return page, err
	}
	err := s.eng.Catalog.View(ctx, list)
	return page, err
}

// Suggest returns up to n names that look like one that was not found.
func (s *Store) Suggest(ctx context.Context, name string, n int) ([]string, error) {
	if err := s.eng.CheckOpen(); err != nil {
		return nil, err
	}
	var names []string
	err := s.eng.Catalog.View(ctx, func(c *catalog.Tx) error {
		var err error
		names, err = c.Nearest(name, n)
		return err
	})
	return names, err
}
