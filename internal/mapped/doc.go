// Package mapped keeps the files of storages mapped: those that were used last, ready for the next
// reader, within what the process may have of descriptors and of mappings.
//
// A [Cache] is one of an open store. [Cache.Kept] and, where that has none, [Cache.Map] return the
// payload of a storage with a reference for the caller: the same mapping for all who ask for the
// same file and length. What a store has removed it must [Cache.Forget], since a mapping keeps the
// disk space of its file.
//
// Built with the race detector files are read into memory instead of mapped, and none is kept:
// [Keeps] is false.
package mapped
