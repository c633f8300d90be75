//go:build !race

package tstore_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"

	"github.com/tstore/tstore"
)

func init() { children["idle"] = idleChild }

// idleChild ticks until its input ends, and prints what ticking tells.
func idleChild([]string) error {
	perSecond, longest := ticking(func() {
		fmt.Println("ticking")
		_, _ = io.Copy(io.Discard, os.Stdin)
	})
	_, err := fmt.Println(perSecond, int64(longest))
	return err
}

// TestRealSlowDisk computes on what a disk takes 100 ms to read, and looks whether other goroutines and the garbage
// collector have to wait for it.
func TestRealSlowDisk(t *testing.T) {
	onRealFileSystems(t, func(t *testing.T, fsys realFS) {
		dir, disk, _ := fsys.onFailingDisk(t, fsys.bytes, func(s *tstore.Store) {
			src, _ := ramp(0, 2<<20)
			create(t, s, "x", src)
		})
		s, err := tstore.Open(t.Context(), dir, &tstore.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if _, err := s.Stat(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		if !tickingWhileSlow(t, s, disk) {
			t.Error("goroutines wait for the disk that others read")
		}
	}, "ext4")
}

// tickingWhileSlow reports whether others run as they do in a process that does nothing else at the same time while x
// is read from a slow disk.
func tickingWhileSlow(t *testing.T, s *tstore.Store, disk *failingDisk) bool {
	t.Helper()
	x, err := s.Get(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	path := x.Storage().Path()
	if err := errors.Join(x.Close(), dropFromCache(path), disk.tell("slow-reads 100")); err != nil {
		t.Fatal(err)
	}
	idle := startIdle(t)
	began := time.Now()
	busy, busyGC := ticking(func() { err = evaluates("sum(x)")(t.Context(), s) })
	took := time.Since(began)
	free, freeGC := idle()
	if err := errors.Join(err, disk.tell("heal")); err != nil {
		t.Fatal(err)
	}
	t.Logf("%v of reading: %.0f ticks a second (idle %.0f), longest collection %v (idle %v)", took, busy, free, busyGC, freeGC)
	return took > time.Second && busy >= 0.9*free && busyGC <= freeGC+50*time.Millisecond
}

// startIdle starts a process that only ticks. stop ends it and returns what ticking told there.
func startIdle(t *testing.T) (stop func() (perSecond float64, longest time.Duration)) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=idle")
	in, failedIn := cmd.StdinPipe()
	out, failedOut := cmd.StdoutPipe()
	if err := errors.Join(failedIn, failedOut, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	var word string
	if _, err := fmt.Fscan(out, &word); err != nil {
		t.Fatal(err)
	}
	return func() (perSecond float64, longest time.Duration) {
		err := in.Close()
		_, scanned := fmt.Fscan(out, &perSecond, &longest)
		if err := errors.Join(err, scanned, cmd.Wait()); err != nil {
			t.Fatal(err)
		}
		return perSecond, longest
	}
}

// ticking runs work, and returns how often a goroutine came to run in a second that is to do so each millisecond, and
// the longest garbage collection.
func ticking(work func()) (perSecond float64, longest time.Duration) {
	done, ticks := make(chan struct{}), make(chan int)
	go func() {
		n := 0
		for tick := time.NewTicker(time.Millisecond); ; n++ {
			select {
			case <-tick.C:
			case <-done:
				tick.Stop()
				ticks <- n
				return
			}
		}
	}()
	collected := make(chan time.Duration)
	go func() {
		longest := time.Duration(0)
		for {
			select {
			case <-done:
				collected <- longest
				return
			case <-time.After(100 * time.Millisecond):
				began := time.Now()
				runtime.GC()
				longest = max(longest, time.Since(began))
			}
		}
	}()
	began := time.Now()
	work()
	took := time.Since(began)
	close(done)
	return float64(<-ticks) / took.Seconds(), <-collected
}
