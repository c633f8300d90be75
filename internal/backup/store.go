package backup

import (
	"context"

	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/store"
)

// Store is a handle on a store, with methods that back it up and restore names from backups.
type Store struct{ *check.Store }

// open opens the store in a folder.
func open(ctx context.Context, dir string, o *store.Options) (*Store, error) {
	s, err := store.Open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	return &Store{&check.Store{Store: s}}, nil
}
