// Package stream keeps mapped operands in memory just where an engine works on them: a helper
// goroutine reads what comes next, so that no worker waits in a fault for the disk, and with
// [Options.DropBehind] it writes back and drops what is behind, so that a pass over more than
// memory holds takes some tens of megabytes of it.
//
// A [Stream] follows chunks, which are numbers to it: each [Operand] says which bytes of its
// storage a chunk touches. Chunks that follow each other are taken together in windows of about 8
// MiB, because smaller pieces cost more than they save, and large pages are not dropped in parts.
//
//	s := stream.Start(ctx, operands, numChunks, nil)
//	// in each worker, for the chunks that it gets:
//	if err := s.Wait(chunk); err != nil { … }
//	… work on the chunk …
//	s.Done(chunk)
//	// at the end:
//	err := s.Close()
//
// Data that are in memory already cost one system call for a window, of some microseconds, and no
// fault is taken from the workers. Operands that are not pages of files cost nothing. Bytes are the
// same with and without a stream, whatever the ranges say: they decide when bytes are read, never
// what they are.
//
// # Caveats
//
//   - Chunks are best taken in order. Any order is right, but only windows that follow the first
//     unfinished one are read ahead.
//   - An operand of which a window touches far more than it uses, such as a transposed one, is left
//     to faults (compute cuts what exceeds the memory into tiles and follows them itself), and so
//     is one whose ranges come back to what was dropped until it moves on.
//   - Outputs are made ready for stores page by page. One that is stored to here and there is
//     better left out.
//   - Nothing is durable: the owner of an output flushes it at the end.
//   - A stream uses the storages without a reference of its own: they are closed after Close.
//   - Except on Linux, nothing is done.
package stream
