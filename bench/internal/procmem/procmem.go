// Package procmem reads how much memory a process uses, from /proc.
package procmem

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// Usage is what a process used at its greatest, in bytes; 0 is unknown.
type Usage struct {
	Anon int64 // private: RssAnon
	Peak int64 // with mapped files, since the process started: VmHWM
}

// Grow takes over what is greater in other.
func (u *Usage) Grow(other Usage) {
	u.Anon = max(u.Anon, other.Anon)
	u.Peak = max(u.Peak, other.Peak)
}

// Watch samples a process every 2 ms until the returned function is called, which returns the
// greatest values.
func Watch(pid int) (stop func() Usage) {
	done, result := make(chan struct{}), make(chan Usage)
	go func() {
		var greatest Usage
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()

		for {
			select {
			case <-tick.C:
				greatest.Grow(Read(pid))
			case <-done:
				result <- greatest
				return
			}
		}
	}()

	return func() Usage {
		close(done)
		return <-result
	}
}

// Read returns the zero value if the process is gone or there is no /proc.
func Read(pid int) Usage {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return Usage{}
	}
	var u Usage
	for line := range strings.Lines(string(text)) {
		switch key, value, _ := strings.Cut(line, ":"); key {
		case "RssAnon":
			u.Anon = kilobytes(value)
		case "VmHWM":
			u.Peak = kilobytes(value)
		}
	}
	return u
}

// kilobytes reads a value such as "  1204 kB\n".
func kilobytes(value string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}
