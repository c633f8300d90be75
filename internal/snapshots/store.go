package snapshots

import "github.com/tstore/tstore/internal/store"

// Store is a handle on a store whose states are kept and brought back.
type Store struct{ *store.Store }
