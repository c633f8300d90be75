package tstore

// Close waits for the changes and evaluations that other goroutines have begun, refuses new ones
// with ErrClosed meanwhile and everything afterwards, waits until the space of large temporary
// files is free, and lets go of the store's mappings. To have it wait for less, cancel the context
// of what runs: an evaluation in place then returns an error that names the tensor it left dirty.
//
// Tensors that are still open keep their mappings until they are closed, and so does a Writable,
// whose own Close makes its writes durable as ever. Close is idempotent. What runs as part of a
// change, such as the function given to Update or one that is told of progress, must not call it:
// it would wait for itself.
func (s *Store) Close() error { return s.eng.Close() }
