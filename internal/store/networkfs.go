package store

// NetworkFS returns the type of the store's file system, such as "nfs4", if it is a network file
// system, or a FUSE program that may keep its files elsewhere.
func (s *Store) NetworkFS() string { return s.Engine.NetworkFS }
