//go:build !race

package realdisk_test

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
	"github.com/tstore/tstore/internal/storetest"
)

func init() { children["idle"] = idleChild }

// idleChild ticks until its input ends, and prints what ticking tells.
func idleChild([]string) error {
	t, err := ticking(func() {
		fmt.Println("ticking")
		_, _ = io.Copy(io.Discard, os.Stdin)
	})
	if err == nil {
		_, err = fmt.Println(t.perSecond, int64(t.collection), int64(t.gap), t.load)
	}
	return err
}

// TestRealSlowDisk computes on what a disk takes 100 ms to read, and looks whether other goroutines
// and the garbage collector have to wait for it.
func TestRealSlowDisk(t *testing.T) {
	onRealFileSystems(t, func(t *testing.T, fsys realFS) {
		dir, disk, _ := fsys.onFailingDisk(t, fsys.bytes, func(s *tstore.Store) {
			src, _ := ramp(0, 2<<20)
			storetest.Create(t, s, "x", src)
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

// tickingWhileSlow reports whether others run as they do in a process that does nothing else at the
// same time while x is read from a slow disk: as often, never long after they are to, and with as
// much of the processors left for them.
func tickingWhileSlow(t *testing.T, s *tstore.Store, disk *failingDisk) bool {
	t.Helper()
	x, err := s.Get(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	path := x.Storage().Path()
	if err := errors.Join(x.Close(), storetest.DropFromCache(path), disk.tell("slow-reads 100")); err != nil {
		t.Fatal(err)
	}
	stop := startIdle(t)
	began := time.Now()
	var evaluated error
	busy, err := ticking(func() { evaluated = storetest.Evaluates("sum(x)")(t.Context(), s) })
	took := time.Since(began)
	idle := stop()
	if err := errors.Join(err, evaluated, disk.tell("heal")); err != nil {
		t.Fatal(err)
	}
	const late = 50 * time.Millisecond // half of what a read takes
	t.Logf("%v of reading: %v (idle %v)", took, busy, idle)
	return took > time.Second && busy.perSecond >= 0.9*idle.perSecond && busy.collection <= idle.collection+late &&
		busy.gap <= idle.gap+late && busy.load <= idle.load+0.1
}

// startIdle starts a process that only ticks. stop ends it and returns what ticking told there.
func startIdle(t *testing.T) (stop func() ticks) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), storetest.ChildEnv+"=idle")
	in, failedIn := cmd.StdinPipe()
	out, failedOut := cmd.StdoutPipe()
	if err := errors.Join(failedIn, failedOut, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	var word string
	if _, err := fmt.Fscan(out, &word); err != nil {
		t.Fatal(err)
	}
	return func() (told ticks) {
		err := in.Close()
		_, scanned := fmt.Fscan(out, &told.perSecond, &told.collection, &told.gap, &told.load)
		if err := errors.Join(err, scanned, cmd.Wait()); err != nil {
			t.Fatal(err)
		}
		return told
	}
}

// ticks are what a goroutine tells that is to run each millisecond, and another that collects
// garbage.
type ticks struct {
	perSecond  float64       // how often it came to run
	gap        time.Duration // the longest time in which it did not
	collection time.Duration // the longest garbage collection
	load       float64       // how many processors the process kept busy
}

func (t ticks) String() string {
	return fmt.Sprintf("%.0f ticks a second, none for %v, collections of %v, %.2f processors", t.perSecond, t.gap, t.collection, t.load)
}

// ticking runs work beside such goroutines.
func ticking(work func()) (told ticks, err error) {
	done, ticked, collected := make(chan struct{}), make(chan int), make(chan struct{})
	go func() {
		n, last := 0, time.Now()
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for ; ; n++ {
			select {
			case <-tick.C:
			case <-done:
				ticked <- n
				return
			}
			now := time.Now()
			told.gap, last = max(told.gap, now.Sub(last)), now
		}
	}()
	go func() {
		defer close(collected)
		for {
			select {
			case <-done:
				return
			case <-time.After(100 * time.Millisecond):
				began := time.Now()
				runtime.GC()
				told.collection = max(told.collection, time.Since(began))
			}
		}
	}()
	before, err1 := storetest.UsedTime()
	began := time.Now()
	work()
	took := time.Since(began).Seconds()
	after, err2 := storetest.UsedTime()
	close(done)
	told.perSecond = float64(<-ticked) / took
	<-collected
	told.load = (after - before).Seconds() / took
	return told, errors.Join(err1, err2)
}
