package main

import (
	"math"
	"testing"
)

func TestFormatBytes(t *testing.T) {
	tests := map[int64]string{
		0:             "0 bytes",
		1023:          "1023 bytes",
		4096:          "4096 bytes (4.0 KiB)",
		3 << 30:       "3221225472 bytes (3.0 GiB)",
		math.MaxInt64: "9223372036854775807 bytes (8.0 EiB)",
	}
	for n, want := range tests {
		if got := formatBytes(n); got != want {
			t.Errorf("formatBytes(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestParseBytes(t *testing.T) {
	tests := map[string]int64{
		"0": 0, "4096": 4096, "512MiB": 512 << 20, "1.5 GB": 1500000000, "2k": 2000, "1KiB": 1024,
		"9223372036854775807": math.MaxInt64,
	}
	for text, want := range tests {
		got, err := parseBytes(text)
		if err != nil || got != want {
			t.Errorf("parseBytes(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "x", "1XB", "16EiB", "nan", "1e3"} {
		if got, err := parseBytes(text); err == nil {
			t.Errorf("parseBytes(%q) = %d, want an error", text, got)
		}
	}
}
