//go:build unix

package mapped

import (
	"math"

	"golang.org/x/sys/unix"
)

// Descriptors returns how many descriptors the process may have.
func Descriptors() int64 {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fallbackFiles
	}
	return int64(min(uint64(limit.Cur), math.MaxInt64))
}
