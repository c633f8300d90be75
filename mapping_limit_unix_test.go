//go:build unix

package tstore_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore"
)

// TestFewDescriptors opens more tensors, one after the other, than the process
// may have files.
func TestFewDescriptors(t *testing.T) {
	var limit unix.Rlimit
	must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	few := limit
	few.Cur = 120
	must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &few))
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), nil)
	must(t, err)
	defer s.Close()
	const n = 150
	for i := range n {
		create(t, s, fmt.Sprint("x", i), source(t, float64(i), 1))
	}
	for i := range n {
		wantValues(t, s, fmt.Sprint("x", i), float64(i))
	}
	create(t, s, "last", source(t, 0, 1))
}
