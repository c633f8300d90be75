// Package engine is the durable order of a store: what is written, made durable, locked, committed
// and removed, and when.
//
// It speaks the catalog's words, records, storages and their files, and knows nothing of selectors,
// sources of elements, expressions and reports: those are of packages store and work, which lie above.
//
// A [Store] is a handle on an open store. Files of elements are made by [Store.Stage] and
// [Store.StageNew], filled, and made visible by [Store.Publish], which syncs, renames and commits
// in the one right order; [Store.Commit] is for changes that need no file. Whoever writes the file
// of a storage has its lock ([Store.LockStorage]). Whatever may change the store begins with
// [Store.BeginChange], for which [Store.Close] waits.
//
// The handle of a transaction ([Store.Joining]) refuses with [ErrWithin] what can't be part of one.
package engine
