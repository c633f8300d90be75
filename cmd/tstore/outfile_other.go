//go:build !linux

package main

// createUnnamed creates a file, which has its name from the start here.
func createUnnamed(tmp string) (*outFile, error) { return createNamed(tmp) }
