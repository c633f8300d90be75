package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/npyheader"
)

func TestWriteSource(t *testing.T) {
	path := filepath.Join(t.TempDir(), "source.npy")
	if err := writeSource(path, 4000); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h, err := npyheader.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1000}, h.Shape); diff != "" || h.DType != dtype.Float32 || h.Fortran {
		t.Errorf("header = %+v, want float32 (1000,) in C order", h)
	}
	fi, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if want := h.DataOffset + 4000; fi.Size() != want {
		t.Errorf("file has %d bytes, want %d", fi.Size(), want)
	}
}

func TestParseFlags(t *testing.T) {
	tests := []struct {
		name string
		args []string
		size int64 // 0: an error is wanted
	}{
		{"default", nil, 4 << 30},
		{"whole elements", []string{"-size", "1001"}, 1000},
		{"too small", []string{"-size", "3"}, 0},
		{"not a size", []string{"-size", "big"}, 0},
		{"no rounds", []string{"-rounds", "0"}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c, err := parseFlags(test.args)
			if test.size == 0 {
				if err == nil {
					t.Errorf("parseFlags = %+v, want an error", c)
				}
				return
			}
			if err != nil || c.size != test.size {
				t.Errorf("parseFlags = %+v, %v, want size %d", c, err, test.size)
			}
		})
	}
}

func TestMedian(t *testing.T) {
	tests := []struct {
		name  string
		times []time.Duration
		want  time.Duration
	}{
		{"one", []time.Duration{7}, 7},
		{"odd", []time.Duration{9, 1, 4}, 4},
		{"even", []time.Duration{10, 2, 4, 100}, 7},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := median(test.times); got != test.want {
				t.Errorf("median(%v) = %v, want %v", test.times, got, test.want)
			}
		})
	}
}
