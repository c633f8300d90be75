//go:build linux || darwin || windows

package filelock_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore/internal/filelock"
)

// child is set, to what a child process should do, when a test runs this program again.
const child = "FILELOCK_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(child) {
	case "hold":
		hold(os.Args[1])
	case "count":
		countInFile(os.Args[1], os.Args[2])
	default:
		os.Exit(m.Run())
	}
}

func startChild(t *testing.T, what string, args ...string) (*exec.Cmd, *bufio.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), child+"="+what, "GORACE=atexit_sleep_ms=0") // or it would sleep a second before it ends
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(out)
}

// must ends a child process on an error.
func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// hold locks byte 0 and waits to be killed.
func hold(path string) {
	_, err := filelock.TryLock(path, 0, filelock.Exclusive)
	must(err)
	fmt.Println("held")
	time.Sleep(time.Minute)
}

func TestKilledHolder(t *testing.T) {
	path := lockFile(t)
	cmd, out := startChild(t, "hold", path)
	if line, err := out.ReadString('\n'); line != "held\n" {
		t.Fatalf("child said %q, %v", line, err)
	}
	if _, err := filelock.TryLock(path, 0, filelock.Shared); !errors.Is(err, filelock.ErrHeld) {
		t.Errorf("while the child holds the byte: %v, want ErrHeld", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	mustUnlock(t, mustLock(t, path, 0, filelock.Exclusive))
	t.Logf("free %v after SIGKILL", time.Since(start))
	cmd.Wait()
}

// TestExec has a child outlive the lock that was held while it started.
func TestExec(t *testing.T) {
	path := lockFile(t)
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the child is a shell: ", err)
	}
	held := mustTry(t, path, 0, filelock.Exclusive)
	cmd := exec.Command("sh", "-c", "ls -l /dev/fd/; cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	mustUnlock(t, held)
	mustUnlock(t, mustTry(t, path, 0, filelock.Exclusive))
	in.Close()
	listing, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(listing), path) {
		t.Errorf("the child inherited the lock file:\n%s", listing)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

const rounds = 50

// countInFile adds 1 to the number in a file under an exclusive lock, many times, and prints its
// longest wait. It takes the lock through a turnstile, as the one way to be fair to waiters:
// whoever is to have byte 0 next holds byte 1, so that the last holder can't have it again at once.
func countInFile(path, counter string) {
	f, err := os.OpenFile(counter, os.O_RDWR, 0)
	must(err)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var worst time.Duration
	for range rounds {
		start := time.Now()
		turn, err := filelock.Lock(ctx, path, 1, filelock.Exclusive)
		must(err)
		held, err := filelock.Lock(ctx, path, 0, filelock.Exclusive)
		must(err)
		must(turn.Unlock())
		worst = max(worst, time.Since(start))
		must(increment(f))
		must(held.Unlock())
	}
	fmt.Println(worst.Microseconds())
}

func increment(f *os.File) error {
	var b [8]byte
	if _, err := f.ReadAt(b[:], 0); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint64(b[:])
	time.Sleep(50 * time.Microsecond) // long enough for a second owner to show
	binary.LittleEndian.PutUint64(b[:], n+1)
	_, err := f.WriteAt(b[:], 0)
	return err
}

func TestProcesses(t *testing.T) {
	const processes = 16
	path, counter := lockFile(t), lockFile(t)
	if err := os.WriteFile(counter, make([]byte, 8), 0o644); err != nil {
		t.Fatal(err)
	}
	var cmds []*exec.Cmd
	var outs []*bufio.Reader
	for range processes {
		cmd, out := startChild(t, "count", path, counter)
		cmds, outs = append(cmds, cmd), append(outs, out)
	}
	began := time.Now()
	var worst time.Duration
	for i, cmd := range cmds {
		var micros int64
		if _, err := fmt.Fscan(outs[i], &micros); err != nil {
			t.Errorf("child %d: %v", i, err)
		}
		worst = max(worst, time.Duration(micros)*time.Microsecond)
		if err := cmd.Wait(); err != nil {
			t.Errorf("child %d: %v", i, err)
		}
	}
	b, err := os.ReadFile(counter)
	if err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint64(b); got != processes*rounds {
		t.Errorf("counted %d, want %d", got, processes*rounds)
	}
	// Whoever is overtaken by all others, again and again, waits for as long as they run.
	whole := time.Since(began)
	t.Logf("%d processes, %d locks each, in %v: longest wait %v", processes, rounds, whole, worst)
	if worst > max(5*time.Second, whole/2) {
		t.Errorf("longest wait %v of %v", worst, whole)
	}
}

// TestHolder checks that the process that has a byte is named, and none that waits for it.
func TestHolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells who holds a lock")
	}
	path := lockFile(t)
	cmd, out := startChild(t, "hold", path)
	if line, err := out.ReadString('\n'); line != "held\n" {
		t.Fatalf("child said %q, %v", line, err)
	}
	waiting, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	if _, err := filelock.Lock(waiting, path, 0, filelock.Shared); !errors.Is(err, filelock.ErrHeld) {
		t.Fatalf("got %v, want ErrHeld", err)
	}
	if got, want := filelock.Holder(path, 0), fmt.Sprintf("process %d (", cmd.Process.Pid); !strings.HasPrefix(got, want) || strings.Contains(got, " and ") {
		t.Errorf("the child's byte is held by %q, want %q alone", got, want)
	}
	l := mustLock(t, path, 1<<40, filelock.Shared)
	for off, want := range map[int64]string{1 << 40: "this process", 1<<40 + 1: ""} {
		if got := filelock.Holder(path, off); got != want {
			t.Errorf("byte %d is held by %q, want %q", off, got, want)
		}
	}
	mustUnlock(t, l)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if got := filelock.Holder(filepath.Join(t.TempDir(), "none"), 0); got != "" {
		t.Errorf("a missing file's byte is held by %q", got)
	}
}
