// Package testdir decides where tests keep their files.
//
// A store waits for the disk at every commit, and a test suite makes thousands of commits.
// UseMemory, called by the TestMain of a package, puts the temporary folders of its tests into a
// file system in memory, where a sync costs nothing. A test whose subject is the disk itself (page
// cache, clones, holes, space) takes its folder from OnDisk. Mount makes a file system of a test's own,
// on Linux.
//
// # Caveats
//
//   - A TMPDIR that is set is left alone: TMPDIR=/tmp go test ./... runs every test on the disk.
//   - Without /dev/shm, or with less than 2 GiB free there, the temporary folders stay where they
//     are.
//   - Tests that are killed leave their folders in /dev/shm, which takes memory until somebody
//     removes them.
package testdir
