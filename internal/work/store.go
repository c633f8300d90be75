package work

import "github.com/tstore/tstore/internal/store"

// Store is a handle on a store whose names are computed with.
type Store struct{ *store.Store }
