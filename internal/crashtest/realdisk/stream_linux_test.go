//go:build !race

package realdisk_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

const (
	streamLimit = 512 << 20
	streamBytes = 4 * streamLimit
)

func init() { children["stream"] = streamChild }

// streamWays are what streams through a store, each after the one before.
var streamWays = []string{"import", "evaluate", "verify", "delete"}

// pattern reads as the same bytes over and over.
type pattern []byte

func (p pattern) Read(b []byte) (int, error) { return copy(b, p), nil }

// streamChild does one of streamWays in the store args[0], and prints the seconds that it took.
func streamChild(args []string) error {
	ctx := context.Background()
	s, err := tstore.Open(ctx, args[0], nil)
	if err != nil {
		return err
	}
	defer s.Close()
	began := time.Now()
	switch args[1] {
	case "import":
		data := io.LimitReader(pattern(bytes.Repeat([]byte("tensor 8"), 128<<10)), streamBytes)
		err = s.Import(ctx, "x", tstore.Source{Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{streamBytes / 8}}, Data: data}, nil)
	case "evaluate":
		err = storetest.Evaluates("sum(x)")(ctx, s)
	case "verify":
		_, err = s.Verify(ctx, nil)
	case "delete":
		err = s.Delete(ctx, "x")
	}
	fmt.Println(time.Since(began).Seconds())
	return err
}

// TestRealStream streams four times the memory of a cgroup, page cache included, in and out. It has
// to be nearly as fast as without a limit, and to leave most of the memory to others.
func TestRealStream(t *testing.T) {
	if *faultDisk == "" {
		t.Skip("takes root, a memory cgroup and 2 GiB of disk: make crash-fs")
	}
	dir := filepath.Join(t.TempDir(), "s")
	s, err := tstore.Init(t.Context(), dir, nil)
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	free := map[string]float64{}
	for _, limited := range []bool{false, true} {
		for _, way := range streamWays {
			files, err := filepath.Glob(filepath.Join(dir, "storages", "*", "*.npy"))
			if err != nil {
				t.Fatal(err)
			}
			for _, file := range files {
				if err := storetest.DropFromCache(file); err != nil {
					t.Fatal(err)
				}
			}
			seconds, peak := stream(t, dir, way, limited)
			if way == "delete" {
				continue
			}
			if !limited {
				free[way] = seconds
				continue
			}
			t.Logf("%s: %.2f GB/s (%.2f without a limit), peak of the cgroup %d MiB", way, streamBytes/seconds/1e9, streamBytes/free[way]/1e9, peak>>20)
			if peak >= 128<<20 {
				t.Errorf("%s: the cgroup had %d MiB of memory at once, expected less than 128", way, peak>>20)
			}
			if free[way]/seconds < 0.7 {
				t.Errorf("%s: the limit made it slower, %.2f s instead of %.2f s", way, seconds, free[way])
			}
		}
	}
}

// stream runs a child that streams, and returns the seconds that it took and the greatest memory of
// its cgroup.
func stream(t *testing.T, dir, way string, limited bool) (seconds float64, peak int64) {
	t.Helper()
	args := []string{os.Args[0], dir, way}
	if limited {
		args = append([]string{filepath.Join("..", "..", "..", "scripts", "with-memory-limit"), strconv.Itoa(streamLimit)}, args...)
	}
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	peakFile := filepath.Join(t.TempDir(), "peak")
	cmd.Env = append(os.Environ(), storetest.ChildEnv+"=stream", "MEMORY_PEAK="+peakFile)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == storetest.NoLimit {
		t.Skipf("SKIPPED: %s", stderr.String())
	}
	if err != nil {
		t.Fatalf("%s: %v: %s", way, err, stderr.String())
	}
	if seconds, err = strconv.ParseFloat(strings.TrimSpace(string(out)), 64); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(peakFile); err == nil {
		peak, _ = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	}
	return seconds, peak
}
