// Package mmapstore keeps flat bytes in mapped files and in memory, for as long as somebody uses
// them and not longer.
//
// A [Storage] is a run of bytes with reference counts. It knows nothing of element types, shapes or
// strides. Storages are made by [New] and [WithAllocator] (memory), [FromBytes] (somebody else's
// memory), [Map] and [MapFile] (files); [Storage.Range] makes one over a part of another.
//
// Two counts keep the bytes in place. A reference ([Storage.Retain], [Storage.Release]) belongs to
// an object and lives as long as it; a [Pin] belongs to an operation that touches the bytes. The
// last Release refuses new pins, waits for those that are out, and only then unmaps: so a closed
// storage is [ErrClosed], never a crash and never the bytes of another file. [Storage.With] takes a
// pin, sets up a guard, and gives both back:
//
//	err := s.With(func(b []byte) error { … })
//
// # Faults
//
// Touching mapped memory can fail: the file was truncated by somebody, its disk does not answer, or
// is full. The system reports this as a signal, which ends a process. Under [Storage.With],
// [Storage.Guard] and [GuardAll] it becomes a [*FaultError] with file and offset, in Go code as in
// assembly. [ErrTruncated], [ErrReadOnly] and the error number of the disk are found by errors.Is.
// Only addresses within the mapping are caught; every other panic goes on.
//
// # Caveats
//
// What code under a guard must not do:
//
//   - Start a goroutine that touches the bytes without a guard of its own: the guard covers one
//     goroutine, and a fault in the other ends the process.
//   - Keep b, or strings and slices made of it, after the pin is given back. Copy out what is kept.
//   - Pass the bytes to cgo, use strings over them as keys of a map that is written to, or send
//     arrays in them through a channel: the run-time can't recover there.
//   - Print strings over them with fmt, which swallows the fault: no error comes back.
//   - Hold a lock without a deferred Unlock: a fault leaves the function at once.
//   - In assembly, set the direction flag, or do more than about a megabyte of work in one call:
//     assembly can't be interrupted, and garbage collections wait for it.
//   - Call the last Release of the same storage: it waits for the pin, for ever.
//
// What no guard can see:
//
//   - A file cut within its last page, or cut and extended again, reads as zeros without a fault.
//     [Storage.CheckLength] finds the first, checksums find both.
//   - The system writes stored bytes to the file when it likes. They are durable after
//     [Storage.Flush] only, and until then a crash leaves any mixture of old and new. The first
//     failed Flush is final: see [ErrPoisoned].
//   - Stores into space that the file shares with another (reflinks), or that was not reserved
//     ([MapOptions].Sparse, file systems that can't reserve), fault when the disk is full.
//   - Nobody unmaps what was not released: the garbage collector does not know who still holds
//     bytes. In builds with the tag invariants, [Leaks] names such storages and who made them, and
//     closed mappings stay inaccessible, so that using them is a panic that names them.
//
// The race detector sees the Go heap only. In race builds, storages over files of up to 256 MiB are
// therefore kept on the heap, as with [MapOptions].Copy: stores reach the file with Flush and the
// last Release, two storages over one file do not see each other's stores, and there are no faults.
//
// Sizes and offsets are int64 in bytes; the package needs a platform of 64 bits. It runs on Unix
// and Windows; advice and huge pages are used on Linux only.
package mmapstore
