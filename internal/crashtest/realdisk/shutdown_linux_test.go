package realdisk_test

import (
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore/internal/storetest"
)

const (
	ioctlShutdown = 0x8004587d // FS_IOC_SHUTDOWN
	noLogFlush    = 2          // FS_SHUTDOWN_FLAGS_NOLOGFLUSH
	shutdowns     = 20
)

// shutDown makes a mounted file system stop for good, as if its disk were gone.
func shutDown(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.IoctlSetPointerInt(int(f.Fd()), ioctlShutdown, noLogFlush)
}

// TestRealShutdown stops file systems in the middle of work: the process that works gets errors,
// and what was acknowledged is there once the file system is mounted anew.
func TestRealShutdown(t *testing.T) {
	onRealFileSystems(t, func(t *testing.T, fsys realFS) {
		rng := rand.New(rand.NewPCG(*realSeed, 8))
		failed := 0
		for i := range shutdowns {
			if fsys.shutDownAt(t, *realSeed*1000+uint64(i), rng.IntN(12), time.Duration(rng.Int64N(int64(6*time.Millisecond)))) {
				failed++
			}
		}
		t.Logf("-real-seed %d: %d shutdowns, of which %d met a change", *realSeed, shutdowns, failed)
	}, "ext4", "xfs")
}

// shutDownAt stops the file system some time after a step has begun, and reports whether that or a
// later step failed.
func (f realFS) shutDownAt(t *testing.T, seed uint64, step int, after time.Duration) (failed bool) {
	t.Helper()
	const n = 20
	image := f.image(t, f.bytes)
	defer os.Remove(image)
	dir, unmount := mount(t, image)
	steps := realSteps(seed, n)
	mark := 0
	stopped := make(chan error, 1)
	worker := realWorker{
		done: func(n int) error { mark = n; return nil },
		begun: func(done int) error {
			if done == step+1 {
				time.AfterFunc(after, func() { stopped <- shutDown(dir) })
			}
			return nil
		},
	}
	stderr, err := worker.run(t, filepath.Join(dir, "s"), seed, n, "")
	if err := errors.Join(<-stopped, unmount()); err != nil {
		t.Fatal(err)
	}
	var status *exec.ExitError
	failed = errors.As(err, &status) && status.ExitCode() == failedStep
	if err != nil && !failed || strings.Contains(stderr, "goroutine ") {
		t.Fatalf("seed %d: the worker ended with %v: %s", seed, err, stderr)
	}
	dir, unmount = mount(t, image)
	wrong := storetest.LookFrom(t.Context(), filepath.Join(dir, "s"), steps, statesOf(steps), mark)
	if err := errors.Join(wrong, unmount()); err != nil {
		t.Fatalf("seed %d, shut down %v after step %d began, %d acknowledged (the worker: %s): %v", seed, after, step, mark, stderr, err)
	}
	return failed
}

// TestRealReadOnlyMount mounts a store read-only: everything can be read, and a change says why it
// can't be.
func TestRealReadOnlyMount(t *testing.T) {
	onRealFileSystems(t, func(t *testing.T, fsys realFS) {
		image := fsys.image(t, fsys.bytes)
		dir, unmount := mount(t, image)
		storetest.Prepare(t, filepath.Join(dir, "s"))
		if err := unmount(); err != nil {
			t.Fatal(err)
		}
		dir, _ = mount(t, image, "ro")
		storetest.WantReadable(t, filepath.Join(dir, "s"))
	})
}
