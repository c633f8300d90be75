//go:build !linux

package main

import (
	"errors"
	"os"
)

// adviseDontNeed is not known here.
func adviseDontNeed(*os.File) error {
	return errors.New("dropping a file from the page cache needs Linux: run with -cold=false")
}
