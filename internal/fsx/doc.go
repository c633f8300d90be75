// Package fsx is the file system as a store needs it: durable publishing, reserved space, paced
// bulk output, clones, and a twin that fails on demand.
//
//   - [FS] and [File] are the operations; [OS] is the real thing and [Faulty] a twin for tests that
//     records each operation, fails the k-th one, or stops there for good.
//   - [Publish] gives a finished file its final name in the one order that survives a power cut:
//     Sync, Rename, SyncDir.
//   - [Reserve] makes a full disk show before the writing starts.
//   - [StreamWriter] writes bulk output with few dirty bytes and little memory.
//   - [Clone] copies a file as cheaply as the file system can, keeping holes.
//   - [Identity] and [Allocated] tell what a file is and occupies.
//
// # Caveats
//
//   - The first error of Sync or of a writeback is final. The kernel reports a lost write once and
//     then calls the pages clean, so trying again turns an error into silent loss. A File from OS
//     keeps returning that error; what must not happen is to close the file, open it again and sync
//     that.
//   - Write, sync and rename through one descriptor opened before the first write: a later one may
//     not hear of earlier errors.
//   - Sync covers bytes stored through a shared mapping of the same file, too. Unmapping writes
//     nothing.
//   - A hole, or bytes shared with a clone, reserve no space: a store there through a mapping
//     raises SIGBUS when the disk is full, where WriteAt returns ENOSPC.
//   - Writeback ranges, DropCache, clones and holes are Linux features; elsewhere the same calls do
//     without. Directories are not synced on Windows.
package fsx
