//go:build !invariants

package mmapstore

// leak is the record of an open storage; there is none in this build.
type leak struct{}

func trackStorage(*Storage) *leak { return nil }

func (*leak) forget() {}

// Leaks returns the storages that are open, under the build tag invariants; without it, nothing is
// recorded and Leaks returns nil.
func Leaks() []Leak { return nil }

// bury would make a closed mapping inaccessible for good.
func bury([]byte, string) bool { return false }

// describeClosed would name the closed mapping at an address.
func describeClosed(uintptr) string { return "" }
