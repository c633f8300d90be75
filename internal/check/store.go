package check

import "github.com/tstore/tstore/internal/store"

// Store is a handle on a store that is looked after.
type Store struct{ *store.Store }
