package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

// memory is what a process used at its greatest, in bytes; 0 is unknown.
type memory struct {
	anon int64 // private: RssAnon
	peak int64 // with mapped files: VmHWM
}

func (m *memory) grow(other memory) {
	m.anon = max(m.anon, other.anon)
	m.peak = max(m.peak, other.peak)
}

// watchMemory samples a process from /proc every 2 ms until the returned function is called, which returns the
// greatest values.
func watchMemory(pid int) (stop func() memory) {
	done, result := make(chan struct{}), make(chan memory)
	go func() {
		var greatest memory
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				greatest.grow(readMemory(pid))
			case <-done:
				result <- greatest
				return
			}
		}
	}()
	return func() memory {
		close(done)
		return <-result
	}
}

// readMemory returns the zero value if the process is gone or there is no /proc.
func readMemory(pid int) memory {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return memory{}
	}
	var m memory
	for line := range strings.Lines(string(text)) {
		switch key, value, _ := strings.Cut(line, ":"); key {
		case "RssAnon":
			m.anon = kilobytes(value)
		case "VmHWM":
			m.peak = kilobytes(value)
		}
	}
	return m
}

// kilobytes reads a value such as "  1204 kB\n".
func kilobytes(value string) int64 {
	n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return n << 10
}

func bytesOrUnknown(n int64) string {
	if n == 0 {
		return "unknown"
	}
	return humanize.IBytes(uint64(n))
}
