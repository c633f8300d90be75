//go:build race

package compute

// raceEnabled: the race detector makes everything ten times slower, so tests of many cases do
// fewer.
const raceEnabled = true
