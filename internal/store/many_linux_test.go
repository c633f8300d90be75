package store_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/mmapstore"
)

var (
	manyTensors = flag.Int("many-tensors", 3000, "how many tensors TestManyTensors opens that share files")
	manyFiles   = flag.Int("many-files", 300, "how many tensors TestManyTensors opens that have files of their own")
	manyMaps    = flag.Int("many-maps", 200, "Options.MaxMappings in TestManyTensors; 0 is the default")
)

// TestManyTensors opens many small tensors at once in a process that may have few descriptors, and
// keeps a view of each.
func TestManyTensors(t *testing.T) {
	if !storetest.MapsFiles {
		t.Skip("storages are copies in race builds")
	}
	dir := filepath.Join(t.TempDir(), "s")
	prepareMany(t, dir)
	var limit unix.Rlimit
	storetest.Must(t, unix.Getrlimit(unix.RLIMIT_NOFILE, &limit))
	few := limit
	few.Cur = 150
	storetest.Must(t, unix.Setrlimit(unix.RLIMIT_NOFILE, &few))
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &limit)
	s, err := tstore.Open(t.Context(), dir, &tstore.Options{MaxMappings: *manyMaps})
	storetest.Must(t, err)
	defer s.Close()
	openMany(t, s, "p", *manyTensors)
	openMany(t, s, "f", *manyFiles)
}

// prepareMany makes tensors that share files, in the group p, and some that do not, in f.
func prepareMany(t *testing.T, dir string) {
	t.Helper()
	s, err := tstore.Init(t.Context(), dir, &tstore.Options{Durability: tstore.DurabilityNone})
	storetest.Must(t, err)
	defer s.Close()
	for group, n := range map[string]int{"p": *manyTensors, "f": *manyFiles} {
		batch := map[string]int{"p": n, "f": 500}[group]
		for first := 0; first < n; first += batch {
			storetest.Must(t, s.Update(t.Context(), func(tx *tstore.Tx) error {
				for i := first; i < min(first+batch, n); i++ {
					src := storetest.Source(t, float64(i), 4)
					src.Pack = group == "p"
					if err := tx.Create(fmt.Sprintf("%s/%d", group, i), src); err != nil {
						return err
					}
				}
				return nil
			}))
		}
	}
}

// openMany opens tensors and keeps a view of each, reads all of them, closes them, and checks what
// the process has taken meanwhile and afterwards.
func openMany(t *testing.T, s *tstore.Store, group string, n int) {
	t.Helper()
	filesBefore, mapsBefore := taken(t)
	_, heldBefore := mmapstore.Held()
	var memory, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	open := make([]*tstore.Tensor, n)
	began := processorTime(t)
	for i := range open {
		var err error
		open[i], err = s.Get(t.Context(), fmt.Sprintf("%s/%d[1:3]", group, i))
		if err != nil {
			t.Fatalf("tensor %d of %d: %v", i, n, err)
		}
	}
	took := processorTime(t) - began
	runtime.GC()
	runtime.ReadMemStats(&after)
	files, maps := taken(t)
	_, held := mmapstore.Held()
	t.Logf("%s: %d open, in %v of processor time and %d bytes of memory each: %d descriptors, %d mappings, %d of them of files (before: %d, %d)", group, n, took/time.Duration(n),
		int64(after.HeapAlloc-memory.HeapAlloc)/int64(n), files, maps, held, filesBefore, mapsBefore)
	if *manyMaps > 0 && held > int64(*manyMaps) {
		t.Errorf("%d files are mapped, %d may be", held, *manyMaps)
	}
	for range 2 {
		began = processorTime(t)
		for i, x := range open {
			if got := storetest.Elements(t, x.Tensor); len(got) != 2 || got[0] != float64(i+1) || got[1] != float64(i+2) {
				t.Fatalf("tensor %d has %v", i, got)
			}
		}
	}
	t.Logf("%s: read in %v each", group, (processorTime(t)-began)/time.Duration(n))
	storetest.Create(t, s, group+"/another", storetest.Source(t, 7, 1)) // there are descriptors left
	storetest.WantValues(t, s, group+"/another", 7)
	storetest.Must(t, s.Delete(t.Context(), fmt.Sprintf("%s/%d", group, n-1)))
	if got := storetest.Elements(t, open[n-1].Tensor); len(got) != 2 || got[0] != float64(n) {
		t.Errorf("deleted while it is open: %v", got)
	}
	for _, x := range open {
		storetest.Must(t, x.Close())
	}
	if _, now := mmapstore.Held(); now > heldBefore+50 { // the cache of mappings
		t.Errorf("%d files are mapped when all tensors are closed, %d before", now, heldBefore)
	}
	if filesAfter, mapsAfter := taken(t); filesAfter > filesBefore+50 || mapsAfter > mapsBefore+60 {
		t.Errorf("%d descriptors and %d mappings, before: %d and %d", filesAfter, mapsAfter, filesBefore, mapsBefore)
	}
}

// processorTime is what the process has used.
func processorTime(t *testing.T) time.Duration {
	t.Helper()
	used, err := storetest.UsedTime()
	storetest.Must(t, err)
	return used
}

// taken counts the descriptors and the mappings of the process.
func taken(t *testing.T) (files, maps int) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	storetest.Must(t, err)
	text, err := os.ReadFile("/proc/self/maps")
	storetest.Must(t, err)
	return len(fds), bytes.Count(text, []byte("\n"))
}
