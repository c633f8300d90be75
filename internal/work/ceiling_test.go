//go:build linux && !race

package work_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/internal/testdir"
)

var memoryCeiling = flag.Int64("memory-ceiling", 4<<20, "bytes of private and dirty memory that TestMemoryCeiling gives an evaluation")

func init() { children["ceiling"] = storetest.InStore(ceilingChild) }

// ceilingPrograms are what TestMemoryCeiling evaluates: with -long all of them, else two. What is
// sorted takes two ceilings, which is enough for several runs.
func ceilingPrograms(count int) []string {
	programs := []string{
		"c = a*2 + b",
		"h = a.reshape(1024, -1) @ b.reshape(1024, -1).T",
		fmt.Sprintf("d = sort(a[:%d])", count/4),
		fmt.Sprintf("f = convolve(a[:%d], [0.5, 2], 'same')", count/2),
		"g = a.reshape(2048, -1).T.copy()",
	}
	return programs[:storetest.Few(len(programs), 2)]
}

// TestMemoryCeiling evaluates programs in a process of its own, with operands eight times as large
// as the memory it may use. Where a memory cgroup can be made, that process and its page cache are
// in one, so that the kernel ends it if what can't be written out or dropped is too much;
// everywhere, private and dirty memory are sampled. Race builds are left out: they copy mapped
// files to memory.
func TestMemoryCeiling(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes large files")
	}
	dir := filepath.Join(testdir.OnDisk(t), "store")
	count := storetest.CeilingFactor * *memoryCeiling / 4
	prepareCeiling(t, dir, int(count))
	for _, text := range ceilingPrograms(int(count)) {
		peak, err := runCeilingChild(t, dir, text)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s, ceiling %d MiB, operands %d MiB each: at most %d MiB of private and dirty memory, the process itself included",
			text, *memoryCeiling>>20, 4*count>>20, peak>>20)
		if allowed := *memoryCeiling + storetest.ProcessBytes; peak > allowed {
			t.Errorf("%s: private and dirty memory reached %d bytes, allowed are %d", text, peak, allowed)
		}
	}
	checkCeiling(t, dir, int(count))
}

// prepareCeiling makes the operands and takes them out of the page cache, so that whoever reads
// them is charged.
func prepareCeiling(t *testing.T, dir string, count int) {
	t.Helper()
	ctx := t.Context()
	s, err := tstore.Init(ctx, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for seed, name := range []string{"a", "b"} {
		random, err := compute.Random(dtype.Float32, uint64(seed))
		if err != nil {
			t.Fatal(err)
		}
		src := tstore.Source{Spec: tstore.Spec{DType: dtype.Float32, Shape: []int{count}}, Data: random.Take(count)}
		if err := s.Create(ctx, name, src); err != nil {
			t.Fatal(err)
		}
		x, err := s.Get(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		path := x.Storage().Path()
		if err := errors.Join(x.Close(), s.Close(), storetest.DropFromCache(path)); err != nil {
			t.Fatal(err)
		}
		if s, err = tstore.Open(ctx, dir, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// runCeilingChild returns the greatest private and dirty memory of the child that evaluates a
// program.
func runCeilingChild(t *testing.T, dir, text string) (int64, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	child := []string{self, dir, strconv.FormatInt(*memoryCeiling, 10), text}
	limited := append([]string{filepath.Join("..", "..", "scripts", "with-memory-limit"), strconv.FormatInt(*memoryCeiling+storetest.ProcessBytes, 10)}, child...)
	out, err := ceilingCommand(t, limited).Output()
	var status *exec.ExitError
	if errors.As(err, &status) && status.ExitCode() == storetest.NoLimit {
		t.Logf("not in a cgroup: %s", status.Stderr)
		out, err = ceilingCommand(t, child).Output()
	}
	if errors.As(err, &status) {
		return 0, fmt.Errorf("the evaluation ended with %w: %s", err, status.Stderr)
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

func ceilingCommand(t *testing.T, args []string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = append(os.Environ(), storetest.ChildEnv+"=ceiling")
	return cmd
}

// ceilingChild evaluates and prints the greatest private and dirty memory that it saw. args has the
// ceiling and the program.
func ceilingChild(ctx context.Context, s *tstore.Store, args []string) error {
	ceiling, err := strconv.ParseInt(args[0], 10, 64)
	if err != nil {
		return err
	}
	stop := watchDirty()
	result, err := s.Eval(ctx, args[1], &tstore.EvalOptions{Compute: compute.Options{MemoryLimit: ceiling}})
	peak := stop()
	if err != nil {
		return err
	}
	fmt.Println(peak)
	return result.Close()
}

// watchDirty samples the private and dirty memory of this process until the returned function is
// called.
func watchDirty() (stop func() int64) {
	done, result := make(chan struct{}), make(chan int64)
	go func() {
		peak := dirtyBytes()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				peak = max(peak, dirtyBytes())
			case <-done:
				result <- peak
				return
			}
		}
	}()
	return func() int64 {
		close(done)
		return <-result
	}
}

// dirtyBytes counts the pages of this process that hold something which is nowhere else: private
// ones that were written, and those of mapped files that are not yet on the disk.
func dirtyBytes() int64 {
	text, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return 0
	}
	total := int64(0)
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && (fields[0] == "Private_Dirty:" || fields[0] == "Shared_Dirty:") {
			n, _ := strconv.ParseInt(fields[1], 10, 64)
			total += n << 10
		}
	}
	return total
}

// checkCeiling compares some elements of the result, the first and the last among them.
func checkCeiling(t *testing.T, dir string, count int) {
	t.Helper()
	s, err := tstore.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tensors := map[string]*tstore.Tensor{}
	for _, name := range []string{"a", "b", "c"} {
		x, err := s.Get(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		tensors[name] = x
	}
	at := func(name string, i int) float32 {
		v, err := tensors[name].Get(i)
		if err != nil {
			t.Fatal(err)
		}
		return v.Any().(float32)
	}
	for i := 0; i < count; i += count/1009 + 1 {
		checkOne(t, at, i)
	}
	checkOne(t, at, count-1)
}

func checkOne(t *testing.T, at func(string, int) float32, i int) {
	t.Helper()
	if got, want := at("c", i), float32(at("a", i)*2)+at("b", i); got != want {
		t.Errorf("c[%d] = %v, want %v", i, got, want)
	}
}
