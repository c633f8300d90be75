//go:build race

package transpose_test

// raceEnabled is whether the race detector is on, which makes the tests 20 times slower.
const raceEnabled = true
