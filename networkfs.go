package tstore

// NetworkFS returns the type of the file system that the store is on, such as "nfs4", if that is
// one of the network, or one of a FUSE program of which it is not known where its files are; else
// "". On a network file system other machines may change the store, whose commits this one does not
// see in time: then both lose what was committed. Reading may show an old state.
func (s *Store) NetworkFS() string { return s.eng.NetworkFS }
