package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/filelock"
	"github.com/tstore/tstore/internal/storetest"
)

// holdChild opens a tensor for writing in place and waits for the end of its standard input.
func holdChild(ctx context.Context, s *tstore.Store, args []string) error {
	w, err := s.OpenWritable(ctx, args[0])
	if err != nil {
		return err
	}
	fmt.Println("held")
	_, err = io.Copy(io.Discard, os.Stdin)
	return errors.Join(err, w.Close())
}

// holdInChild has another process open a tensor for writing in place until release is called.
func holdInChild(t *testing.T, dir, name string) (pid int, release func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], dir, name)
	cmd.Env = append(os.Environ(), storetest.ChildEnv+"=hold")
	cmd.Stderr = os.Stderr
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
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the child said %q, %v", line, err)
	}
	return cmd.Process.Pid, func() {
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Error(err)
		}
	}
}

// TestLockTimeout checks that no writer waits longer for another process than it was told, and that
// its error says for what it waited, how long, and for whom.
func TestLockTimeout(t *testing.T) {
	dir := storetest.NewStore(t).Dir()
	s := storetest.Impatient(t, dir, 30*time.Millisecond)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 300_000))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 10))
	pid, release := holdInChild(t, dir, "x")
	defer release()
	inPlace := &tstore.EvalOptions{InPlace: true}
	evaluate := func(text string, o *tstore.EvalOptions) error {
		_, err := s.Eval(t.Context(), text, o)
		return err
	}
	for name, change := range map[string]func() error{
		"patch":    func() error { return s.Fill(t.Context(), "x[:3]", storetest.Scalar(t, 1)) },
		"rewrite":  func() error { return s.Fill(t.Context(), "x", storetest.Scalar(t, 1)) },
		"append":   func() error { return s.Append(t.Context(), "x", storetest.Source(t, 0, 3)) },
		"resize":   func() error { return s.Resize(t.Context(), "x", 300_001) },
		"change":   func() error { return evaluate("x[:3] = y[:3]", nil) },
		"program":  func() error { return evaluate("x[:3] = 1; z = y + 1", nil) },
		"in place": func() error { return evaluate("y += 1; x[:3] = 1", inPlace) },
	} {
		t.Run(name, func(t *testing.T) {
			err := change()
			if !errors.Is(err, tstore.ErrLockTimeout) {
				t.Fatalf("got %v, want an ErrLockTimeout", err)
			}
			storetest.WantMentioned(t, err, `the write lock of "x"`, "waited ", "ms")
			if runtime.GOOS == "linux" {
				storetest.WantMentioned(t, err, fmt.Sprintf("process %d (", pid))
			}
		})
	}
	_, err := s.OpenWritable(t.Context(), "x")
	if !errors.Is(err, tstore.ErrBusy) {
		t.Fatalf("got %v, want ErrBusy", err)
	}
	if runtime.GOOS == "linux" {
		storetest.WantMentioned(t, err, fmt.Sprintf("process %d (", pid))
	}
	storetest.WantValues(t, s, "y", storetest.UpTo(10)...)
}

// TestLockTimeoutGC checks the waits of writers for gc, and of gc for them.
func TestLockTimeoutGC(t *testing.T) {
	dir := storetest.NewStore(t).Dir()
	s := storetest.Impatient(t, dir, 30*time.Millisecond)
	lock, err := filelock.TryLock(filepath.Join(dir, "lock"), 2, filelock.Exclusive)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Create(t.Context(), "x", storetest.Source(t, 0, 3))
	if !errors.Is(err, tstore.ErrLockTimeout) {
		t.Errorf("create: got %v, want an ErrLockTimeout", err)
	}
	storetest.WantMentioned(t, err, "keeps gc off")
	if _, err := s.GC(t.Context(), nil); !errors.Is(err, tstore.ErrLockTimeout) {
		t.Errorf("gc: got %v, want an ErrLockTimeout", err)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
}

// TestInPlaceWaits checks that in-place statements wait for one another's storages as long as they
// may.
func TestInPlaceWaits(t *testing.T) {
	dir := storetest.NewStore(t).Dir()
	s := storetest.Impatient(t, dir, 10*time.Second)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	_, release := holdInChild(t, dir, "x")
	released := make(chan bool)
	time.AfterFunc(100*time.Millisecond, func() {
		defer close(released)
		release()
	})
	defer func() { <-released }()
	if _, err := s.Eval(t.Context(), "x += 1", &tstore.EvalOptions{InPlace: true}); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "x", 1, 2, 3)
}
