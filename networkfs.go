package tstore

// NetworkFS returns the type of the store's file system, such as "nfs4", if it is a network file
// system, or a FUSE program that may keep its files elsewhere. Otherwise it returns "". On a
// network file system other machines may change the store, and this one does not see their commits
// in time: then both lose what was committed. Reading may show an old state.
func (s *Store) NetworkFS() string { return s.eng.NetworkFS }
