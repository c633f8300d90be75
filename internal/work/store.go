package work

import "github.com/tstore/tstore/internal/store"

// Store is a handle on a store, with methods that compute with its names.
type Store struct{ *store.Store }
