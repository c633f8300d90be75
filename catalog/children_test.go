package catalog_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tstore/tstore/catalog"
)

// The test binary runs itself as child processes; the variables tell a child what to do, where, and
// with which seed.
const (
	roleVariable = "TSTORE_CATALOG_TEST_ROLE"
	dirVariable  = "TSTORE_CATALOG_TEST_DIR"
	seedVariable = "TSTORE_CATALOG_TEST_SEED"
)

func runChild(role string) int {
	seed, err := strconv.ParseUint(os.Getenv(seedVariable), 10, 64)
	if err == nil {
		switch role {
		case "mixed":
			err = runMixed(os.Getenv(dirVariable), seed)
		case "writer":
			err = runWriter(os.Getenv(dirVariable))
		case "one":
			err = runOne(os.Getenv(dirVariable))
		default:
			err = fmt.Errorf("unknown role %q", role)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func child(role, dir string, seed uint64, prefix ...string) *exec.Cmd {
	args := append(prefix, os.Args[0])
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, dirVariable+"="+dir, fmt.Sprintf("%s=%d", seedVariable, seed),
		"GORACE=atexit_sleep_ms=0") // the race detector would have each sleep a second before it ends
	return cmd
}

const (
	processes  = 8
	operations = 60
)

// runMixed does random operations in a group of its own, compares what it sees there with what it
// did, and adds one to a shared counter each time.
func runMixed(dir string, seed uint64) error {
	ctx := context.Background()
	c, err := catalog.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	r := rand.New(rand.NewPCG(seed, 1))
	mine := map[string]bool{}
	for range operations {
		name := fmt.Sprintf("p%d/%d", seed, r.IntN(8))
		err := c.Update(ctx, func(tx *catalog.Tx) error {
			if err := count(tx); err != nil {
				return err
			}
			if mine[name] && r.IntN(2) == 0 {
				delete(mine, name)
				return tx.Delete(name)
			}
			mine[name] = true
			s := storage()
			return errors.Join(tx.PutStorage(s), tx.Put(tensor(name, s.ID)))
		})
		if err != nil {
			return err
		}
		if err := compareMine(ctx, c, seed, mine); err != nil {
			return err
		}
	}
	return nil
}

func compareMine(ctx context.Context, c *catalog.Catalog, seed uint64, mine map[string]bool) error {
	for i := range 8 {
		name := fmt.Sprintf("p%d/%d", seed, i)
		_, err := c.Lookup(ctx, name)
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
		if (err == nil) != mine[name] {
			return fmt.Errorf("%s is there: %t, expected %t", name, err == nil, mine[name])
		}
	}
	return c.View(ctx, func(tx *catalog.Tx) error {
		items, err := tx.List(fmt.Sprintf("p%d", seed), "", false, 0)
		if err == nil && len(items) != len(mine) {
			err = fmt.Errorf("%d items in the group of process %d, expected %d", len(items), seed, len(mine))
		}
		return err
	})
}

// count adds one to the shared counter.
func count(tx *catalog.Tx) error {
	r, err := tx.Get("shared/counter")
	if err != nil {
		return err
	}
	n, err := r.Blob.Int()
	r.Blob = catalog.IntValue(n + 1)
	return errors.Join(err, tx.Put(r))
}

func putCounter(t testing.TB, c *catalog.Catalog) {
	t.Helper()
	update(t, c, func(tx *catalog.Tx) error {
		return tx.Put(catalog.Record{Name: "shared/counter", Kind: catalog.KindBlob, Blob: catalog.IntValue(0)})
	})
}

func counter(t testing.TB, c *catalog.Catalog) int64 {
	t.Helper()
	n, err := lookup(t, c, "shared/counter").Record.Blob.Int()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestProcesses(t *testing.T) {
	c, dir := createIn(t, t.TempDir(), nil)
	putCounter(t, c)
	var wg sync.WaitGroup
	for i := range processes {
		wg.Go(func() {
			if out, err := child("mixed", dir, uint64(i)).CombinedOutput(); err != nil {
				t.Errorf("process %d: %v\n%s", i, err, out)
			}
		})
	}
	wg.Wait()
	if got := counter(t, c); got != processes*operations {
		t.Errorf("the counter is %d after %d transactions", got, processes*operations)
	}
}

// runWriter commits for ever, and says so after each commit. Each transaction writes three records
// that belong together.
func runWriter(dir string) error {
	ctx := context.Background()
	c, err := catalog.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		var n int64
		err := c.Update(ctx, func(tx *catalog.Tx) error {
			if err := count(tx); err != nil {
				return err
			}
			r, err := tx.Get("shared/counter")
			if err != nil {
				return err
			}
			n, _ = r.Blob.Int()
			s := storage()
			s.Changes = uint64(n)
			first, second := tensor("left", s.ID), tensor("right", s.ID)
			return errors.Join(tx.PutStorage(s), tx.Put(first), tx.Put(second))
		})
		if err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// TestKill ends a writing process with SIGKILL at random moments. Whatever it had reported is
// there, each transaction is there in full or not at all, and nobody has to wait for its locks.
func TestKill(t *testing.T) {
	const seed = 3
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	c, dir := createIn(t, t.TempDir(), nil)
	putCounter(t, c)
	least := time.Hour
	for round := range 12 {
		cmd := child("writer", dir, 0)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(out)
		first, err := lines.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.IntN(8000)) * time.Microsecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(lines)
		_ = cmd.Wait() // it was killed
		acked := lastNumber(t, first+string(rest))
		began := time.Now()
		got := counter(t, c)
		least = min(least, time.Since(began))
		if got < acked || got > acked+1 {
			t.Fatalf("round %d: the counter is %d after %d was acknowledged", round, got, acked)
		}
		left, right := lookup(t, c, "left"), lookup(t, c, "right")
		if !cmp.Equal(left.Storage, right.Storage) || left.Storage.Changes != uint64(got) || left.Storage.Refs != 2 {
			t.Fatalf("round %d: half a transaction: counter %d, %+v, %+v", round, got, left.Storage, right.Storage)
		}
		mustBeSound(t, c)
	}
	if least > time.Second {
		t.Errorf("waited for dead processes, %v at best", least)
	}
}

// lastNumber returns the last whole line.
func lastNumber(t *testing.T, lines string) int64 {
	t.Helper()
	whole := strings.Split(lines[:strings.LastIndexByte(lines, '\n')], "\n")
	n, err := strconv.ParseInt(whole[len(whole)-1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// runOne makes one transaction on a handle, then another, and reports how both went. It stays on
// one thread, since strace counts the system calls of each thread.
func runOne(dir string) error {
	runtime.LockOSThread()
	ctx := context.Background()
	c, err := catalog.Open(ctx, dir, nil)
	if err != nil {
		return err
	}
	for _, name := range []string{"first", "second"} {
		err := c.Update(ctx, func(tx *catalog.Tx) error { return tx.Put(blob(name, "x")) })
		var doubt *catalog.InDoubtError
		_, lost := c.Lookup(ctx, name)
		fmt.Printf("%s: in doubt %t", name, errors.As(err, &doubt))
		if doubt != nil {
			fmt.Printf(" (committed: %v)", doubt.Committed)
		}
		fmt.Printf(", poisoned %t, there %t\n", errors.Is(err, catalog.ErrPoisoned), lost == nil)
	}
	return nil
}

// TestInDoubt makes the disk fail at each step of a commit, through strace.
func TestInDoubt(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace to make system calls fail")
	}
	const refused = "second: in doubt false, poisoned true, there false"
	for name, tc := range map[string]struct{ inject, first, second string }{
		"data not written": {"pwrite64:error=EIO:when=1", "first: in doubt true (committed: no), poisoned false, there false", refused},
		"disk full":        {"pwrite64:error=ENOSPC:when=1", "first: in doubt false, poisoned false, there false", "second: in doubt false, poisoned false, there true"},
		"data not synced":  {"fdatasync:error=EIO:when=1", "first: in doubt true (committed: no), poisoned false, there false", refused},
		"meta not synced":  {"fdatasync:error=EIO:when=2", "first: in doubt true (committed: yes), poisoned false, there true", refused},
	} {
		t.Run(name, func(t *testing.T) {
			c, dir := createIn(t, t.TempDir(), nil)
			cmd := child("one", dir, 0, strace, "-f", "-qq", "-o", "/dev/null", "-e", "inject="+tc.inject)
			cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
			out, err := cmd.CombinedOutput()
			if err != nil && strings.Contains(string(out), "ptrace") {
				t.Skipf("strace cannot trace here: %s", out)
			}
			want := tc.first + "\n" + tc.second + "\n"
			if err != nil || string(out) != want {
				t.Fatalf("%v, output:\n%swant:\n%s", err, out, want)
			}
			addTensors(t, c, "another handle goes on")
		})
	}
}
