package compute

import "flag"

// Long runs the sweeps of these tests whole, as make sweeps does. Without it they take steps.
var Long = flag.Bool("long", false, "run the sweeps whole, not in steps")

// RaceEnabled is raceEnabled.
const RaceEnabled = raceEnabled

// SameElements is sameElements.
var SameElements = sameElements

// OnDevice is onDevice, and Finish is finish.
var (
	OnDevice = onDevice
	Finish   = finish
)
