package snapshots

import "github.com/tstore/tstore/internal/store"

// Store is a handle on a store, with methods that keep states of it and bring them back.
type Store struct{ *store.Store }
