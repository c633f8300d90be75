// Package storefile knows the files of a store: what they are called, what stands in front of the
// elements in them, and what the small ones that mark the folder say.
//
// It is about one file at a time and takes no locks. A [Name] is what the name of a data file says,
// a [Header] the padded .npy header of one, with a [Spare] copy of what the catalog knows, and a
// [Mark] the STORE file. [HeaderIn] derives the header that a file should have from the catalog;
// [MustBeAsCommitted] compares a file with its record. docs/format.md has the format.
package storefile
