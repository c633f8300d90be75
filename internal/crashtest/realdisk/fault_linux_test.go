//go:build !race

package realdisk_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// onFailingDisk mounts a disk with a store made by prepare on it, of which nothing is in memory.
func (f realFS) onFailingDisk(t *testing.T, bytes int64, prepare func(s *tstore.Store)) (dir string, disk *failingDisk, unmount func() error) {
	t.Helper()
	image := f.image(t, bytes)
	dir, unmount = mount(t, image)
	s, err := tstore.Init(t.Context(), filepath.Join(dir, "s"), nil)
	if err != nil {
		t.Fatal(err)
	}
	prepare(s)
	if err := errors.Join(s.Close(), unmount()); err != nil {
		t.Fatal(err)
	}
	disk = startFailing(t, "disk", image)
	dir, unmount = mount(t, disk.file)
	return filepath.Join(dir, "s"), disk, unmount
}

// TestRealReadErrors lets a disk fail to read: what is not in memory is an error, whichever way it
// is read, and all else is there.
func TestRealReadErrors(t *testing.T) {
	const n = 300_000
	ways := map[string]func(ctx context.Context, s *tstore.Store, name string) error{
		"map": func(ctx context.Context, s *tstore.Store, name string) error {
			_, err := storetest.ReadAll(ctx, s, name)
			return err
		},
		"evaluate": func(ctx context.Context, s *tstore.Store, name string) error {
			return storetest.Evaluates("sum("+name+")")(ctx, s)
		},
		"verify": func(ctx context.Context, s *tstore.Store, name string) error {
			r, err := s.Verify(ctx, &tstore.VerifyOptions{Selectors: []string{name}})
			if err == nil && len(r.Damage) > 0 {
				err = r.Damage[0].Err
			}
			return err
		},
	}
	onRealFileSystems(t, func(t *testing.T, fsys realFS) {
		dir, disk, _ := fsys.onFailingDisk(t, fsys.bytes, func(s *tstore.Store) {
			src, _ := ramp(0, n)
			storetest.Create(t, s, "fine", src)
			for way := range ways {
				src, _ := ramp(0, n)
				if err := s.Import(t.Context(), "bad_"+way, src, nil); err != nil {
					t.Fatal(err)
				}
			}
		})
		s, err := tstore.Open(t.Context(), dir, &tstore.Options{ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		_, want := ramp(0, n)
		storetest.WantValues(t, s, "fine", want...)
		for way := range ways {
			if _, err := s.Stat(t.Context(), "bad_"+way); err != nil {
				t.Fatal(err)
			}
		}
		if err := disk.tell("fail-reads 0 %d", int64(math.MaxInt64)); err != nil {
			t.Fatal(err)
		}
		for way, read := range ways {
			if err := read(t.Context(), s, "bad_"+way); err == nil {
				t.Errorf("%s: read from a disk that can't be read", way)
			} else {
				t.Logf("%s: %v", way, err)
			}
			storetest.WantValues(t, s, "fine", want...)
		}
		if err := disk.tell("heal"); err != nil {
			t.Fatal(err)
		}
		for way, read := range ways {
			if err := read(t.Context(), s, "bad_"+way); err != nil {
				t.Errorf("%s, from a disk that is well again: %v", way, err)
			}
		}
	})
}

// TestRealSyncErrors fails the n-th flush of a disk and all after it, for each n that a change has:
// it is an error, the handle writes no more, and on the disk it has happened wholly or not at all.
func TestRealSyncErrors(t *testing.T) {
	const n = 40_000
	src := func(first float64) tstore.Source { src, _ := ramp(first, n); return src }
	_, old := ramp(0, n)
	steps := map[string]storetest.PowerStep{
		"create": {Do: func(ctx context.Context, s *tstore.Store) error { return s.Create(ctx, "new", src(0)) }, Effect: func(s storetest.State) { s["new"] = old }},
		"append": {Do: func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "x", src(n)) }, Effect: func(s storetest.State) { _, s["x"] = ramp(0, 2*n) }},
		"patch": {Do: func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "x[0]", dtype.ScalarOf(9.0)) },
			Effect: func(s storetest.State) { s["x"] = slices.Concat(storetest.Nines(1), old[1:]) }},
		"in place": {Do: storetest.FillInPlace("x"), Effect: func(s storetest.State) { s["x"] = storetest.Nines(n) }, InPlace: "x"},
	}
	onRealFileSystems(t, func(t *testing.T, fsys realFS) {
		image := fsys.image(t, fsys.bytes)
		dir, unmount := mount(t, image)
		s, err := tstore.Init(t.Context(), filepath.Join(dir, "s"), nil)
		if err != nil {
			t.Fatal(err)
		}
		storetest.Create(t, s, "x", src(0))
		if err := errors.Join(s.Close(), unmount()); err != nil {
			t.Fatal(err)
		}
		points := 0
		for name, step := range steps {
			after := storetest.State{"x": old}
			step.Effect(after)
			for flushes := 0; ; flushes++ {
				points++
				failed, err := fsys.failFlushes(t, image, flushes, step, []storetest.State{{"x": old}, after})
				if err != nil {
					t.Fatalf("%s, %d flushes: %v", name, flushes, err)
				}
				if !failed {
					break
				}
			}
		}
		t.Logf("%d points", points)
	})
}

// failFlushes makes a change on a copy of a disk whose flushes fail after some, and looks at it
// when it is well again.
func (f realFS) failFlushes(t *testing.T, model string, flushes int, step storetest.PowerStep, states []storetest.State) (failed bool, err error) {
	t.Helper()
	image := model + ".copy"
	if err := copySparse(model, image); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(image)
	disk := startFailing(t, "disk", image)
	dir, unmount := mount(t, disk.file)
	s, err := tstore.Open(t.Context(), filepath.Join(dir, "s"), nil)
	if err != nil {
		return false, err
	}
	if err := disk.tell("fail-flushes %d", flushes); err != nil {
		return false, err
	}
	done := step.Do(t.Context(), s)
	if done != nil {
		src, _ := ramp(0, 3)
		if err := s.Create(t.Context(), "later", src); err == nil {
			return true, fmt.Errorf("a handle wrote on after %w", done)
		}
	}
	_ = s.Close()
	if err := errors.Join(disk.tell("heal"), unmount(), disk.stop()); err != nil {
		return true, err
	}
	dir, unmount = mount(t, image)
	acknowledged := 1
	if done != nil {
		acknowledged = 0
	}
	err = storetest.Look(t.Context(), filepath.Join(dir, "s"), []storetest.PowerStep{step}, states, acknowledged)
	if err != nil {
		err = fmt.Errorf("after %v: %w", done, err)
	}
	return done != nil, errors.Join(err, unmount())
}

// TestRealPoorFileSystem does the work of TestRealPowerCut on a file system that can reserve no
// space.
func TestRealPoorFileSystem(t *testing.T) {
	onRealFileSystems(t, func(t *testing.T, _ realFS) {
		folder := startFailing(t, "folder", t.TempDir())
		steps := realSteps(*realSeed, realStepsPerDisk)
		dir := filepath.Join(folder.file, "s")
		worker := realWorker{done: func(int) error { return nil }}
		if stderr, err := worker.run(t, dir, *realSeed, len(steps), ""); err != nil {
			t.Fatalf("%v: %s", err, stderr)
		}
		if err := storetest.Look(t.Context(), dir, steps, statesOf(steps), len(steps)); err != nil {
			t.Error(err)
		}
	}, "ext4")
}

// TestRealUnmappable makes a store where no file can be mapped.
func TestRealUnmappable(t *testing.T) {
	onRealFileSystems(t, func(t *testing.T, _ realFS) {
		folder := startFailing(t, "unmapped", t.TempDir())
		_, err := tstore.Init(t.Context(), filepath.Join(folder.file, "s"), nil)
		if !errors.Is(err, unix.ENODEV) || !strings.Contains(err.Error(), "can't map files") {
			t.Errorf("init: %v", err)
		}
	}, "ext4")
}
