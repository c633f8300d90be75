package check

import "github.com/tstore/tstore/internal/store"

// Store is a handle on a store, with methods that find and repair damage.
type Store struct{ *store.Store }
