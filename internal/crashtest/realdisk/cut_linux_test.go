package realdisk_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore/internal/disklog"
	"github.com/tstore/tstore/internal/storetest"
)

var realImages = flag.Int("real-images", 200, "how many states of each file system after a power cut TestRealPowerCut looks at")

// realCut is a disk on which a process has worked, and what it has done.
type realCut struct {
	before string // the disk before it
	events []disklog.Event
	steps  []storetest.PowerStep
	states []storetest.State
}

// realStepsPerDisk is how many changes a disk sees.
const realStepsPerDisk = 40

// workOn makes a file system on a disk and lets a process work on it.
func (f realFS) workOn(t *testing.T, seed uint64, spoiling string) *realCut {
	t.Helper()
	image := f.image(t, f.bytes)
	c := &realCut{before: image + ".before", steps: realSteps(seed, realStepsPerDisk)}
	c.states = statesOf(c.steps)
	if err := copySparse(image, c.before); err != nil {
		t.Fatal(err)
	}
	disk := startFailing(t, "disk", image)
	dir, unmount := mount(t, disk.file)
	worker := realWorker{done: func(n int) error { return disk.tell("mark %d", n) }}
	stderr, err := worker.run(t, filepath.Join(dir, "s"), seed, realStepsPerDisk, spoiling)
	if err != nil && spoiling == "" {
		t.Fatalf("seed %d: the worker: %v: %s", seed, err, stderr)
	}
	if err := errors.Join(disk.tell("mark %d", endMark), unmount(), disk.stop(), os.Remove(image)); err != nil {
		t.Fatal(err)
	}
	c.events = disk.events(t)
	end := slices.IndexFunc(c.events, func(e disklog.Event) bool { return e.Kind == disklog.Mark && e.Off == endMark })
	c.events = c.events[:end]
	return c
}

// endMark is noted before the disk is unmounted.
const endMark = 1 << 30

// look looks at n states in which a power cut can leave the disk, until one is wrong, and returns
// how many it looked at and what is wrong. It uses up the disk as it was before.
func (c *realCut) look(t *testing.T, rng *rand.Rand, n int) (images int, wrong error) {
	t.Helper()
	medium, err := os.OpenFile(c.before, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer medium.Close()
	at := make([]int, n)
	for i := range at {
		at[i] = rng.IntN(len(c.events) + 1)
	}
	slices.Sort(at)
	shares := []float64{0, 1, 0.5, 0.9, 0.1, 0.3, 0.7}
	disk := disklog.NewDisk(c.events, medium)
	for i, event := range at {
		share := shares[i%len(shares)]
		if err := disk.Go(event); err != nil {
			t.Fatal(err)
		}
		if err := c.lookAt(t, disk, rng, share); err != nil {
			return i + 1, fmt.Errorf("power cut before event %d of %d, %d acknowledged, %v of %d writes pending: %w",
				event, len(c.events), disk.Mark(), share, disk.Pending(), err)
		}
	}
	return n, nil
}

// lookAt makes one state, mounts it and looks at the store.
func (c *realCut) lookAt(t *testing.T, disk *disklog.Disk, rng *rand.Rand, share float64) (wrong error) {
	t.Helper()
	image := c.before + ".image"
	if err := copySparse(c.before, image); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(image)
	f, err := os.OpenFile(image, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(disk.Cut(f, rng, share), f.Close()); err != nil {
		t.Fatal(err)
	}
	dir, unmount := mount(t, image)
	defer func() {
		if err := unmount(); err != nil {
			t.Fatal(err)
		}
	}()
	return storetest.LookFrom(t.Context(), filepath.Join(dir, "s"), c.steps, c.states, int(disk.Mark()))
}

// TestRealPowerCut cuts the power of disks with real file systems at random moments of random work,
// and looks whether what was acknowledged is there, and each change wholly or not at all.
func TestRealPowerCut(t *testing.T) {
	onRealFileSystems(t, func(t *testing.T, fsys realFS) {
		const disks = 4
		looked := 0
		for i := range disks {
			seed := *realSeed*1000 + uint64(i)
			c := fsys.workOn(t, seed, "")
			images, wrong := c.look(t, rand.New(rand.NewPCG(seed, 5)), (*realImages+disks-1)/disks)
			looked += images
			if wrong != nil {
				t.Fatalf("-real-seed %d, disk %d: %v", *realSeed, i, wrong)
			}
		}
		t.Logf("-real-seed %d: looked at %d states of %d disks", *realSeed, looked, disks)
	})
}

// TestRealPowerCutSpoilt leaves out what the durable order needs, which must show on one of the
// file systems at least.
func TestRealPowerCutSpoilt(t *testing.T) {
	for _, spoiling := range spoilings {
		t.Run(strings.ReplaceAll(spoiling, " ", "-"), func(t *testing.T) {
			found, tried := 0, 0
			onRealFileSystems(t, func(t *testing.T, fsys realFS) {
				tried++
				seed := *realSeed * 1000
				c := fsys.workOn(t, seed, spoiling)
				images, wrong := c.look(t, rand.New(rand.NewPCG(seed, 5)), *realImages)
				if wrong != nil {
					found++
				}
				t.Logf("-real-seed %d: %d states, the last is wrong: %v", *realSeed, images, wrong)
			})
			if tried > 0 && found == 0 {
				t.Errorf("%s: not noticed", spoiling)
			}
		})
	}
}
