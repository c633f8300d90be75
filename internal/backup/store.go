package backup

import (
	"context"

	"github.com/tstore/tstore/internal/check"
	"github.com/tstore/tstore/internal/store"
)

// Store is a handle on a store that is backed up, or that backups are restored to.
type Store struct{ *check.Store }

// open opens the store in a folder.
func open(ctx context.Context, dir string, o *store.Options) (*Store, error) {
	s, err := store.Open(ctx, dir, o)
	if err != nil {
		return nil, err
	}
	return &Store{&check.Store{Store: s}}, nil
}
