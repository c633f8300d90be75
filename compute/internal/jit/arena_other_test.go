//go:build !linux

package jit_test

import (
	"testing"

	"github.com/tstore/tstore/compute/internal/jit/jittest"
)

type arena []byte

const arenaBytes = 8192

func newArenas(_ *testing.T, n int) []arena {
	arenas := make([]arena, n)
	for i := range arenas {
		arenas[i] = jittest.Aligned(arenaBytes)
	}
	return arenas
}

func (a arena) first(n int) []byte { return a[:n:n] }
func (a arena) last(n int) []byte  { return a[len(a)-n:] }
