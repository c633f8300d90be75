package store

// Close waits for the changes and evaluations that other goroutines have begun, refuses new ones
// with ErrClosed meanwhile and everything afterwards, waits until the space of large temporary
// files is free, and lets go of the store's mappings.
func (s *Store) Close() error { return s.Engine.Close() }
