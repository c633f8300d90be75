package jit_test

import (
	"testing"

	"golang.org/x/sys/unix"
)

// An arena is memory followed by a page that can't be touched.
type arena []byte

const arenaBytes = 8192

func newArenas(t *testing.T, n int) []arena {
	arenas := make([]arena, n)
	for i := range arenas {
		all, err := unix.Mmap(-1, 0, arenaBytes+4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := unix.Munmap(all); err != nil {
				t.Error(err)
			}
		})
		if err := unix.Mprotect(all[arenaBytes:], unix.PROT_NONE); err != nil {
			t.Fatal(err)
		}
		arenas[i] = all[:arenaBytes]
	}
	return arenas
}

// first and last return the first and the last n bytes.
func (a arena) first(n int) []byte { return a[:n:n] }
func (a arena) last(n int) []byte  { return a[len(a)-n:] }
