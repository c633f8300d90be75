package storetest

import (
	"flag"
	"testing"
)

// WholeSweeps is set by make sweeps.
var WholeSweeps = flag.Bool("long", false, "run the sweeps whole, not in steps")

// Few is how much of a sweep runs: so much, or with -long all n of it.
func Few(n, usual int) int {
	if *WholeSweeps {
		return n
	}
	return usual
}

// Every is the step through a sweep: so many, with -long 1, with -short three times as many.
func Every(usual int) int {
	switch {
	case *WholeSweeps:
		return 1
	case testing.Short():
		return 3 * usual
	}
	return usual
}

var (
	KillPoints = flag.Int("kill-points", 5, "how many times TestKill kills a writer")
	KillSeed   = flag.Uint64("kill-seed", 1, "seed of the times at which TestKill kills")
)
