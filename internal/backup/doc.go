// Package backup copies a store, as it is at one commit, to a folder or a tar file, and makes
// stores of such copies.
//
// A backup holds the state of its commit, by a snapshot with a hidden name, or on a store that takes
// no writes by a copy of the catalog. It plans what has to be copied, copies it with checksums, and
// puts a manifest beside it. A folder takes the new state in one step. [Restore] and [Store.RestoreNames]
// read folders and tars as archives of entries, which are made of pieces.
package backup
