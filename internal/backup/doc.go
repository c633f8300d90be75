// Package backup copies a store, as it is at one commit, to a folder or a tar file, and makes
// stores of such copies.
//
// A backup holds the files of its commit ([Store.Backup] by a hidden snapshot, or on a store that
// can't be written by links), plans what has to be copied, copies it with checksums, and puts a
// manifest beside it. A folder takes the new state in one step. [Restore] and [Store.RestoreNames]
// read folders and tars as archives of entries, which are made of pieces.
package backup
