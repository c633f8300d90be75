//go:build !linux

package main

import "github.com/tstore/tstore/internal/fsx"

// createUnnamed creates a file, which has its name from the start here.
func createUnnamed(tmp string) (f fsx.File, nameIt func() error, err error) { return createNamed(tmp) }
