// Package powercut makes the states in which a power cut can leave a folder, for tests of durable
// orders.
//
// A [Recorder] sees the operations on a folder, through the hook of an [fsx.Faulty], and compares
// the files with what they were before each of them: so it also sees stores through mappings, and
// writes that go past the Faulty. Its [Log] is then played to a model of a disk with a volatile
// cache. Written sectors of 512 bytes, sizes and names are volatile until the file, or the folder,
// is synced; of what is volatile, any part may survive, in any order. At each point of the log,
// [Cut.Write] makes a folder of what is durable and a random part of the rest.
//
// The model is harder than file systems are: names and sizes don't become durable with the file's
// bytes, and a rename becomes durable with the folder of the new name only. Nothing is promised
// that POSIX does not promise, but that a sector is written as a whole, and that a rename replaces
// and removes at once.
//
// A log can be spoilt (see [Log.Without] and its like), to show that a test would find a missing
// sync.
//
// One file may be a database that is written behind the Faulty's back, and that commits as bbolt
// does: pages, sync, one of the two first pages, sync. What changed in it between two operations
// counts as one such commit. When another file takes its name, or it gets one, that counts as one
// durable step: the database's own tests have to show that it is.
package powercut
