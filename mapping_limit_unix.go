//go:build unix

package tstore

import "golang.org/x/sys/unix"

// defaultMappings is how many mappings are kept ready: each takes a file
// descriptor, and most of those that the process may have are its own.
func defaultMappings() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return maxDefaultMappings
	}
	return int(min(uint64(limit.Cur)/4, maxDefaultMappings))
}
