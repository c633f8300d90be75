package main

import (
	"os"
	"strconv"
	"strings"
	"time"
)

// watchMemory samples the private and dirty memory of this process until the returned function is
// called, which returns the most.
func watchMemory() (stop func() int64) {
	done, result := make(chan struct{}), make(chan int64)
	go func() {
		peak := int64(0)
		for {
			peak = max(peak, dirtyBytes())
			select {
			case <-time.After(20 * time.Millisecond):
			case <-done:
				result <- peak
				return
			}
		}
	}()

	return func() int64 {
		close(done)
		return <-result
	}
}

// dirtyBytes counts the pages of this process that hold what is nowhere else: private ones that
// were written, and those of mapped files that are not yet on the disk.
func dirtyBytes() int64 {
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return 0
	}
	return (field(text, "Private_Dirty:") + field(text, "Shared_Dirty:")) << 10
}

// field returns the number behind a name at the start of a line of /proc, 0 if there is none.
func field(text []byte, name string) int64 {
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 1 && words[0] == name {
			n, _ := strconv.ParseInt(words[1], 10, 64)
			return n
		}
	}
	return 0
}
