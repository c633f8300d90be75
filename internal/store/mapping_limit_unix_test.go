//go:build unix

package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// TestFewDescriptors opens more tensors, one after the other, than the process may have files.
func TestFewDescriptors(t *testing.T) {
	var limit unix.Rlimit
	storetest.Must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	few := limit
	few.Cur = 120
	storetest.Must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &few))
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), nil)
	storetest.Must(t, err)
	defer s.Close()
	const n = 150
	for i := range n {
		storetest.Create(t, s, fmt.Sprint("x", i), storetest.Source(t, float64(i), 1))
	}
	for i := range n {
		storetest.WantValues(t, s, fmt.Sprint("x", i), float64(i))
	}
	storetest.Create(t, s, "last", storetest.Source(t, 0, 1))
}

// TestNoDescriptors opens a tensor when the process has no descriptor left but those that are kept
// ready for the next Get: two, for the file and its folder.
func TestNoDescriptors(t *testing.T) {
	if !storetest.MapsFiles {
		t.Skip("no mapping is kept in race builds")
	}
	var limit unix.Rlimit
	storetest.Must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	few := limit
	few.Cur = 150
	storetest.Must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &few))
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), nil)
	storetest.Must(t, err)
	defer s.Close()
	for _, name := range []string{"w", "x", "y", "z"} {
		storetest.Create(t, s, name, storetest.Source(t, 5, 1))
	}
	storetest.WantValues(t, s, "w", 5)
	storetest.WantValues(t, s, "x", 5)
	storetest.Stat(t, s, "y")
	storetest.Stat(t, s, "z")
	var taken []*os.File
	defer func() {
		for _, f := range taken {
			f.Close()
		}
	}()
	for {
		f, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		taken = append(taken, f)
	}
	storetest.WantValues(t, s, "y", 5) // has the descriptor that was kept for w or x
	if x, err := s.Get(t.Context(), "y"); err != nil {
		t.Error(err)
	} else {
		if _, err := s.Get(t.Context(), "z"); err == nil {
			t.Error("opened without a descriptor")
		}
		storetest.Must(t, x.Close())
	}
}
