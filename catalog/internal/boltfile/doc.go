// Package boltfile reads the file of a bbolt database in place, as one commit left it.
//
// bbolt trusts its file: on a damaged one it panics, recurses until the process dies, or never
// ends. Here every step is checked against the bytes that are there, so reading ends on any input,
// with an error that says what is wrong. [Tree.Guard] checks the pages that bbolt is about to
// change, so that bbolt can be handed a file that nobody vouches for.
//
// The package knows the layout of bbolt's files and nothing of what is stored in them. It writes no
// pages: its callers map the file, and keep others from changing it meanwhile, by [Share] or by
// locks of their own.
package boltfile
