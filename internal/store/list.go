package store

import (
	"context"
	"iter"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/engine"
)

// ListOptions choose what List yields.
type ListOptions struct {
	Group     string
	After     string
	Recursive bool
	Snapshot  string
	Match     string
}

// List yields the tensors, blobs and groups of a group in the order of their names.
func (s *Store) List(ctx context.Context, o *ListOptions) iter.Seq2[catalog.Item, error] {
	opts := ListOptions{}
	if o != nil {
		opts = *o
	}

	if opts.Match == "" {
		return s.listed(ctx, opts)
	}
	return func(yield func(catalog.Item, error) bool) {
		if err := checkPattern(opts.Match); err != nil {
			yield(catalog.Item{}, err)
			return
		}
		s.match(ctx, opts, yield)
	}
}

// listed yields what a group holds, page by page.
func (s *Store) listed(ctx context.Context, opts ListOptions) iter.Seq2[catalog.Item, error] {
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
	if err := s.Engine.CheckOpen(); err != nil {
		return nil, err
	}
	var page []catalog.Item
	list := func(c *catalog.Tx) (err error) {
		page, err = c.List(o.Group, after, o.Recursive, engine.ListPage)
		return err
	}
	if o.Snapshot != "" {
		err := s.Engine.ViewSnapshot(ctx, o.Snapshot, list)
		return page, err
	}
	err := s.Engine.Catalog.View(ctx, list)
	return page, err
}

// Suggest returns up to n names that look like one that was not found.
func (s *Store) Suggest(ctx context.Context, name string, n int) ([]string, error) {
	if err := s.Engine.CheckOpen(); err != nil {
		return nil, err
	}
	var names []string
	err := s.Engine.Catalog.View(ctx, func(c *catalog.Tx) error {
		var err error
		names, err = c.Nearest(name, n)
		return err
	})
	return names, err
}
