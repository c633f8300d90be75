// Package crashtest has tests that kill processes, cut the power, fill the disk and fail operations
// on files, at each step of what changes a store: afterwards all that was committed is there.
//
// The package model beside it makes random histories and compares them with a model; realdisk runs
// on file systems of block devices that fail on demand. There is nothing in it but tests.
package crashtest
