// Package tstore keeps named tensors in a folder on a local disk: larger than memory,
// memory-mapped, with views that share their bytes, and with transactions, so that what was
// committed survives a crash.
//
// A [Store] is the folder. A name such as "weather/t2m" stands for a tensor: an element type, a
// shape, strides and an offset over a storage, which is one file of raw elements behind the header
// of a .npy file. Several tensors may share a storage; the file goes with the last of them.
//
//   - [Init] makes a store and [Open] opens one.
//   - [Store.Create], [Store.Import], [Store.Append] and [Store.Replace] write
//     elements from a [Source]; [Store.Update] does many such things in one
//     transaction; [Store.Adopt] names elements that stay in a foreign file.
//   - [Store.Get] opens a tensor, or with a selector such as "x[0:10, ::-1]"
//     a part of one, for reading; [Store.View] gives such a part a name.
//     [Store.Read] also reads what has to be computed, piece by piece.
//   - [Store.Set] and [Store.Fill] change elements atomically,
//     [Store.OpenWritable] in place.
//   - [Store.Eval] computes statements over names, "c = sqrt(a*a + b*b)", and
//     publishes what they make and change in one transaction; [Store.Define]
//     gives an expression a name that is computed when it is read.
//   - [Store.CreateSnapshot] keeps the state that the store has, for selectors
//     such as "x@monday[0:10]" and for [Store.RestoreSnapshot].
//   - [Store.Check], [Store.Repair], [Store.GC] and [Salvage] look after it.
//
// # What survives
//
// A method that changes the store has made the change durable when it returns
// nil: the elements first, the file's name next, the catalog last. When it
// returns an error, or the process dies, the change has not happened;
// what it leaves in the folder is found and removed by [Store.GC]. Two errors
// differ: after [ErrInDoubt] the change may have happened, and after a failed
// sync the handle refuses further writes ([ErrPoisoned]), because nobody can
// say what the disk holds.
//
// # Sharing
//
// A Store is safe for concurrent use, and any number of processes may use a folder at once. Locks
// are held for the milliseconds of a catalog transaction, never while elements are written; appends
// and changes of one storage wait for one another. A [Tensor] keeps the bytes it was opened with
// until it is closed, whatever happens to the name. Only in-place writing ([Store.OpenWritable],
// and [Store.Set] and [Store.Fill] of at most 1 MiB) shows in tensors that are open, and never in a
// snapshot.
//
// # Caveats
//
//   - Close every Tensor: it holds a mapping.
//   - A file that is truncated or fails to read behind a mapping is an error of
//     the call that touches it, never a crash. Don't hand mapped bytes to cgo.
//   - The folder belongs on a local file system that has byte-range locks.
//   - Linux and macOS are supported; elsewhere Open says what is missing.
package tstore
