// Package realdisk has tests of a store on real file systems, over a block device that loses what
// was not synced, fails, fills up or goes read-only. They need root and Linux, and are skipped
// elsewhere.
//
// There is nothing in it but tests.
package realdisk
