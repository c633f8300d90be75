package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dustin/go-humanize"
)

// formatBytes is a size exactly, and beside it in a unit when it is large: "48 bytes", "4096 bytes
// (4.0 KiB)".
func formatBytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d bytes", n)
	}
	return fmt.Sprintf("%d bytes (%s)", n, humanBytes(n))
}

// humanBytes is a size to two or three digits: "4.0 KiB".
func humanBytes(n int64) string { return humanize.IBytes(uint64(max(n, 0))) }

// parseBytes reads a number of bytes: "4096", "512MiB", "1.5 GB".
func parseBytes(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
		return n, nil
	}
	n, err := humanize.ParseBytes(text)
	if err != nil || n > math.MaxInt64 {
		return 0, fmt.Errorf("size %q: want a number of bytes such as 4096, 512MiB or 1.5GB", text)
	}
	return int64(n), nil
}

// bytesFlag is a flag that takes a number of bytes.
type bytesFlag int64

func (f *bytesFlag) String() string { return strconv.FormatInt(int64(*f), 10) }

// Set reads what parseBytes reads.
func (f *bytesFlag) Set(text string) error {
	n, err := parseBytes(text)
	*f = bytesFlag(n)
	return err
}

// Type is the placeholder that help shows.
func (f *bytesFlag) Type() string { return "size" }
