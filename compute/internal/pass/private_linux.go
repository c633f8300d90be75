package pass

import (
	"bytes"
	"os"
	"strconv"
)

// privateBytes returns the resident memory of the process that is in no file, 0 if that is not
// known.
func privateBytes() int64 {
	stat, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat) // pages: size, resident, shared, …
	if len(fields) < 3 {
		return 0
	}
	resident, err1 := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, err2 := strconv.ParseInt(string(fields[2]), 10, 64)
	if err1 != nil || err2 != nil {
		return 0
	}
	return (resident - shared) * int64(os.Getpagesize())
}
