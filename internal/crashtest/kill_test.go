package crashtest_test

import (
	"bufio"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

const (
	killSmall = 100     // float64 elements that are patched in place
	killLarge = 200_000 // float64 elements that are rewritten
)

// killed is what the test knows about the store: the step that last wrote each tensor for certain.
type killed struct {
	t    *testing.T
	dir  string
	last map[string]int
	log  []int // steps whose appends were acknowledged, or found
	next int
	// snaps are the snapshots, with what was known when they were made.
	snaps map[string]killedState
}

// killedState is what a snapshot has: the step that last wrote each tensor, and the appends.
type killedState struct {
	last map[string]int
	log  []int
}

// TestKill kills a process that writes at random moments, and looks each time whether everything
// acknowledged is there, whether the step in flight has happened wholly or not at all, and whether
// nothing else is wrong. The full number of points runs with: make crash.
func TestKill(t *testing.T) {
	t.Parallel()
	points := *storetest.KillPoints
	t.Logf("seed %d, %d points", *storetest.KillSeed, points)
	rng := rand.New(rand.NewPCG(*storetest.KillSeed, 0))
	k := &killed{t: t, dir: filepath.Join(t.TempDir(), "s"), last: map[string]int{}, snaps: map[string]killedState{}}
	s, err := tstore.Init(t.Context(), k.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range map[string]int{"current": 5, "small": killSmall, "large": killLarge, "one": 10, "two": 20, "moved": 3, "made": 1, "beside": 1} {
		storetest.Create(t, s, name, storetest.Constant(0, n))
		k.last[name] = 0
	}
	storetest.Create(t, s, "log", storetest.Constant(0, 0, 8))
	storetest.Create(t, s, "place", storetest.Constant(0, 4000))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for n := range points {
		if n > 0 && n%100 == 0 {
			t.Logf("%d points, %d steps", n, k.next)
		}
		inFlight := k.run(time.Duration(rng.Int64N(int64(60 * time.Millisecond))))
		k.verify(inFlight)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d steps were acknowledged", k.next)
}

// run lets a child work for a while, kills it, and returns the step it was in.
func (k *killed) run(after time.Duration) (inFlight int) {
	cmd := exec.Command(os.Args[0], k.dir, strconv.Itoa(k.next))
	cmd.Env = append(os.Environ(), storetest.ChildEnv+"=crash")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		k.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	inFlight = -1
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var i int
		switch text := lines.Text(); {
		case strings.HasPrefix(text, "begin "):
			if inFlight < 0 {
				time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
			}
			fmt.Sscanf(text, "begin %d", &i)
			inFlight = i
		case strings.HasPrefix(text, "done "):
			fmt.Sscanf(text, "done %d", &i)
			k.done(i)
			inFlight = i + 1
		}
	}
	err = cmd.Wait()
	if stderr.Len() > 0 || err == nil {
		k.t.Fatalf("the writer ended by itself: %v %s", err, stderr.String())
	}
	return inFlight
}

// done notes an acknowledged step.
func (k *killed) done(i int) {
	k.next = i + 1
	switch killStep(i) {
	case "import":
		k.last[imported(i)] = i
	case "append":
		k.log = append(k.log, i)
	case "replace":
		k.last["current"] = i
	case "patch":
		k.last["small"] = i
	case "rewrite":
		k.last["large"] = i
	case "delete":
		delete(k.last, imported(i))
	case "pack":
		k.last["one"], k.last["two"] = i, i
	case "eval":
		k.last["made"], k.last["beside"], k.last["current"] = i, i, i
	case "program":
		k.last["large"], k.last["small"] = i, i
	case "snapshot":
		k.snaps[snapshotOf(i)] = killedState{maps.Clone(k.last), slices.Clone(k.log)}
	case "restore":
		for _, name := range restored {
			if was, ok := k.snaps[snapshotOf(i)]; ok {
				k.last[name] = was.last[name]
			}
		}
	case "forget":
		delete(k.snaps, snapshotOf(i-len(killSteps)))
	}
}

// verify opens the store as the next process does and compares it with what is known. What the step
// in flight did is taken over.
func (k *killed) verify(inFlight int) {
	t := k.t
	s, err := tstore.Open(t.Context(), k.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var repair tstore.RepairOptions
	if killStep(max(inFlight, 0)) == "in place" {
		repair.AcceptDirty = []string{"place"}
	}
	if _, err := s.Repair(t.Context(), &repair); err != nil {
		t.Errorf("after step %d: repair: %v", inFlight, err)
	}
	storetest.WantSound(t, k.dir)
	k.wantInPlace(s)
	if k.happened(s, inFlight) {
		k.done(inFlight)
	}
	k.next = max(k.next, inFlight+1)
	for name, step := range k.last {
		if name == "moved" {
			k.wantMoved(s)
			continue
		}
		k.wantStep(s, name, step)
	}
	k.wantLog(s, "log", k.log)
	for snap, was := range k.snaps {
		for name, step := range was.last {
			if name != "moved" {
				k.wantStep(s, name+"@"+snap, step)
			}
		}
		k.wantLog(s, "log@"+snap, was.log)
	}
	k.forgetOld(s)
	for item, err := range s.List(t.Context(), &tstore.ListOptions{Group: "imp"}) {
		if _, known := k.last[item.Name]; err != nil || !known {
			t.Errorf("after step %d: found %q, which was deleted or never made (%v)", inFlight, item.Name, err)
		}
	}
}

// forgetOld removes the snapshots of rounds long ago, which a step was killed for instead of
// removing.
func (k *killed) forgetOld(s *tstore.Store) {
	for round := k.next/len(killSteps) - 3; round >= 0; round-- {
		name := fmt.Sprintf("s%d", round)
		if _, ok := k.snaps[name]; !ok {
			continue
		}
		if _, err := s.RemoveSnapshot(k.t.Context(), name); err != nil {
			k.t.Errorf("remove snapshot %s: %v", name, err)
		}
		delete(k.snaps, name)
	}
}

// wantLog checks that a log has the rows of these steps.
func (k *killed) wantLog(s *tstore.Store, name string, log []int) {
	k.t.Helper()
	rows := storetest.Values(k.t, s, name)
	for i, v := range rows {
		if i/8 >= len(log) || v != float64(log[i/8]) {
			k.t.Fatalf("%s: element %d is %v, acknowledged were %v", name, i, v, log)
		}
	}
	if len(rows) != 8*len(log) {
		k.t.Errorf("%s has %d elements, expected %d", name, len(rows), 8*len(log))
	}
}

// happened tells whether the step that was in flight is visible.
func (k *killed) happened(s *tstore.Store, i int) bool {
	first := func(name string) float64 {
		got := storetest.Values(k.t, s, name+"[0:1]")
		if len(got) == 0 {
			return -1
		}
		return got[0]
	}
	switch killStep(max(i, 0)) {
	case "import":
		_, err := s.Stat(k.t.Context(), imported(i))
		return err == nil
	case "delete":
		_, err := s.Stat(k.t.Context(), imported(i))
		return err != nil
	case "append":
		return len(storetest.Values(k.t, s, "log")) == 8*(len(k.log)+1)
	case "replace":
		return first("current") == float64(i)
	case "patch":
		return first("small") == float64(i)
	case "rewrite":
		return first("large") == float64(i)
	case "pack":
		return first("one") == float64(i)
	case "eval":
		return first("made") == float64(i)
	case "program":
		return first("large") == float64(i)
	case "snapshot":
		return k.hasSnapshot(s, snapshotOf(i))
	case "forget":
		return !k.hasSnapshot(s, snapshotOf(i-len(killSteps)))
	case "restore":
		was, ok := k.snaps[snapshotOf(i)]
		for _, name := range restored {
			ok = ok && first(name) == float64(was.last[name])
		}
		return ok
	}
	return false
}

func (k *killed) hasSnapshot(s *tstore.Store, name string) bool {
	snaps, err := s.Snapshots(k.t.Context())
	if err != nil {
		k.t.Error(err)
	}
	return slices.ContainsFunc(snaps, func(snap catalog.Snapshot) bool { return snap.Name == name })
}

// wantStep checks that all elements of a tensor are of one step.
func (k *killed) wantStep(s *tstore.Store, name string, step int) {
	k.t.Helper()
	for i, v := range storetest.Values(k.t, s, name) {
		if v != float64(step) {
			k.t.Errorf("%s: element %d is %v, expected %d", name, i, v, step)
			return
		}
	}
}

// wantInPlace checks that each element written in place is an old one or a new one.
func (k *killed) wantInPlace(s *tstore.Store) {
	k.t.Helper()
	for i, v := range storetest.Values(k.t, s, "place") {
		if v != 0 && v != 9 {
			k.t.Errorf("place: element %d is %v, expected 0 or 9", i, v)
			return
		}
	}
}

func (k *killed) wantMoved(s *tstore.Store) {
	k.t.Helper()
	_, here := s.Stat(k.t.Context(), "moved")
	_, there := s.Stat(k.t.Context(), "there")
	if (here == nil) == (there == nil) {
		k.t.Errorf("the renamed tensor is in two places or none: %v, %v", here, there)
	}
}
