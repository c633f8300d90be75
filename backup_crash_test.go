package tstore_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
)

var (
	backupEvery = flag.Int("backup-every", 3, "TestBackupFailsAtEveryOperation fails one of so many operations, another one in each way of failing")
	backupKills = flag.Int("backup-kills", 12, "how many times TestKillBackup kills")
)

// smallStore makes a store of which a second backup copies, extends, moves, keeps
// and removes files.
func smallStore(t testing.TB, dest string) (s *tstore.Store, first, second map[string]string) {
	t.Helper()
	s = newStore(t)
	ctx := t.Context()
	create(t, s, "kept", source(t, 0, 9000))
	create(t, s, "log", source(t, 0, 9000))
	create(t, s, "patched", source(t, 0, 9000))
	create(t, s, "gone", source(t, 0, 9000))
	snapshot(t, s, "monday")
	if dest != "" {
		backup(t, s, dest, nil)
	}
	first = contents(t, s)
	_, err := s.RemoveSnapshot(ctx, "monday")
	err = errors.Join(err, s.Fill(ctx, "patched[3]", scalar(t, 1)))
	snapshot(t, s, "tuesday")
	err = errors.Join(err,
		s.Append(ctx, "log", source(t, 0, 1000)),
		s.Delete(ctx, "gone"),
		s.Import(ctx, "new", source(t, 0, 9000), nil))
	if err != nil {
		t.Fatal(err)
	}
	return s, first, contents(t, s)
}

// TestBackupFailsAtEveryOperation fails each file operation of a first and of a
// second backup in turn, once and then for good as if the process had died: the
// folder has the old backup or the new one, and the next backup works.
func TestBackupFailsAtEveryOperation(t *testing.T) {
	for _, again := range []bool{false, true} {
		for i, mode := range []string{"EIO", "ENOSPC", "stop"} {
			t.Run(fmt.Sprintf("again=%t/%s", again, mode), func(t *testing.T) {
				t.Parallel()
				root := memoryDir(t)
				model := ""
				if again {
					model = filepath.Join(root, "model")
				}
				s, first, second := smallStore(t, model)
				if !again {
					first = nil
				}
				every := *backupEvery
				if testing.Short() {
					every *= 5
				}
				for k := 1 + i%every; ; k += every {
					dest := filepath.Join(root, fmt.Sprint(k))
					if again {
						if err := os.CopyFS(dest, os.DirFS(model)); err != nil {
							t.Fatal(err)
						}
					}
					done := backupFailing(t, s.Dir(), dest, mode, k)
					found := contentsOf(t, dest)
					if diff := fmt.Sprint(found); diff != fmt.Sprint(first) && diff != fmt.Sprint(second) {
						t.Fatalf("operation %d: the backup has\n%v, want\n%v or\n%v", k, found, first, second)
					}
					if done {
						wantContents(t, dest, second)
						return
					}
					backup(t, s, dest, nil)
					wantContents(t, dest, second)
					if _, err := s.GC(t.Context(), nil); err != nil {
						t.Fatal(err)
					}
					wantNoTrace(t, s)
					if err := os.RemoveAll(dest); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
	}
}

// backupFailing makes a backup with a failure at operation k, and reports whether
// it ended before k.
func backupFailing(t *testing.T, dir, dest, mode string, k int) (done bool) {
	t.Helper()
	faulty := fsx.NewFaulty(fsx.OS)
	switch mode {
	case "EIO":
		faulty.FailAt(k, syscall.EIO)
	case "ENOSPC":
		faulty.FailAt(k, syscall.ENOSPC)
	case "stop":
		faulty.StopAt(k)
	}
	s, err := tstore.OpenOn(t.Context(), dir, faulty, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// What fails when the backup has taken its place need not be an error.
	_, _ = s.Backup(t.Context(), dest, nil)
	return faulty.Ops() < k
}

// contentsOf are those of a backup, verified; nil where there is none.
func contentsOf(t testing.TB, dest string) map[string]string {
	t.Helper()
	s, err := tstore.Open(t.Context(), dest, nil)
	if errors.Is(err, tstore.ErrNotStore) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if r, err := tstore.VerifyBackup(t.Context(), dest, nil); err != nil || len(r.Damage) > 0 {
		t.Errorf("verify %s: %+v, %v", dest, r, err)
	}
	return contents(t, s)
}

// TestBackupCancelled breaks a backup off: what was there stays, and nothing else.
func TestBackupCancelled(t *testing.T) {
	s := newStore(t)
	fillStore(t, s)
	dir := t.TempDir()
	for _, name := range []string{"b", "b.tar"} {
		ctx, cancel := context.WithCancel(t.Context())
		o := &tstore.BackupOptions{Progress: func(int64, int64) { cancel() }}
		if _, err := s.Backup(ctx, filepath.Join(dir, name), o); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dest := filepath.Join(dir, "full")
	backup(t, s, dest, nil)
	for _, what := range [][]string{{dest}} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := tstore.Restore(ctx, what, filepath.Join(dir, "r"), &tstore.RestoreOptions{Progress: func(int64, int64) { cancel() }})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("restore: %v", err)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("found %v, %v", entries, err)
	}
	wantNoTrace(t, s)
}

// pairChild changes a store without end: two tensors that are always equal, a log
// whose length is their value, and a view; and it does what keeps a store tidy.
func pairChild(ctx context.Context, s *tstore.Store, _ []string) error {
	for i := 1; ; i++ {
		v := float64(i)
		err := s.Update(ctx, func(tx *tstore.Tx) error {
			return errors.Join(tx.Replace("a", constant(v, 3000)), tx.Replace("b", constant(v, 9000)), tx.Replace("n", constant(v, 1)))
		})
		if err == nil {
			err = s.Append(ctx, "log", constant(v, 100))
		}
		name := "s" + strconv.Itoa(i%3)
		switch i % 7 {
		case 0:
			_, err = s.GC(ctx, nil)
		case 1:
			_, _, err = s.Compact(ctx)
		case 2:
			_, err = s.CreateSnapshot(ctx, name, "")
		case 3:
			_, err = s.RemoveSnapshot(ctx, name)
		case 4:
			err = s.Fill(ctx, "filled", dtype.ScalarOf(v))
		case 5:
			err = s.Fill(ctx, "filled[:10]", dtype.ScalarOf(v-1))
		case 6:
			err = errors.Join(fillInPlace("place")(ctx, s), ignoreMissing(s.Delete(ctx, "gone")), s.Create(ctx, "gone", constant(v, 9000)))
		}
		if err != nil && !errors.Is(err, tstore.ErrNotFound) && !errors.Is(err, tstore.ErrExists) && !errors.Is(err, tstore.ErrConflict) {
			return fmt.Errorf("step %d: %w", i, err)
		}
		fmt.Println(i)
	}
}

// startChild runs this test binary as another process, which ends with the test.
func startChild(t *testing.T, what string, args ...string) (kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), childEnv+"="+what)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Errorf("the child says nothing: %v, %s", err, stderr.String())
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		buf := make([]byte, 1<<10)
		for err == nil {
			_, err = out.Read(buf)
		}
	}()
	killed := false
	kill = func() {
		if killed {
			return
		}
		killed = true
		_ = cmd.Process.Kill()
		<-drained
		_ = cmd.Wait()
		if stderr.Len() > 0 {
			t.Errorf("the child failed: %s", stderr.String())
		}
	}
	t.Cleanup(kill)
	return kill
}

func pairStore(t *testing.T) *tstore.Store {
	t.Helper()
	s := newStore(t)
	for name, n := range map[string]int{"a": 3000, "b": 9000, "n": 1, "filled": 20_000, "place": 9000, "log": 0} {
		create(t, s, name, constant(0, n))
	}
	return s
}

// wantPair looks whether a copy of the store is one of its states.
func wantPair(t *testing.T, dir string) {
	t.Helper()
	s := openStore(t, dir)
	a, b, n := values(t, s, "a"), values(t, s, "b"), values(t, s, "n")[0]
	if len(a) != 3000 || len(b) != 9000 {
		t.Fatalf("%d and %d elements", len(a), len(b))
	}
	for i, v := range append(a, b...) {
		if v != n {
			t.Fatalf("element %d is %v, and n is %v", i, v, n)
		}
	}
	log := values(t, s, "log")
	if rows := float64(len(log)) / 100; rows != n && rows != n-1 {
		t.Errorf("the log has %v rows of step %v", rows, n)
	}
	for i, v := range log {
		if v != float64(i/100+1) {
			t.Fatalf("row %d of the log is %v", i/100, v)
		}
	}
	wantSound(t, dir)
}

// TestBackupWhileOthersWrite makes backups of a store that another process
// changes all the time: each is one state of it.
func TestBackupWhileOthersWrite(t *testing.T) {
	t.Parallel()
	s := pairStore(t)
	kill := startChild(t, "pair", s.Dir())
	dir := memoryDir(t)
	folder, since := filepath.Join(dir, "b"), ""
	rounds := 6
	for i := range rounds {
		if _, err := untilFree(t, s, folder, nil); err != nil {
			t.Fatal(err)
		}
		if r, err := tstore.VerifyBackup(t.Context(), folder, nil); err != nil || len(r.Damage) > 0 {
			t.Fatalf("round %d: %+v, %v", i, r, err)
		}
		wantPair(t, folder)
		name := filepath.Join(dir, fmt.Sprintf("%d.tar", i))
		if _, err := untilFree(t, s, name, &tstore.BackupOptions{Since: since}); err != nil {
			t.Fatal(err)
		}
		since = name
	}
	kill()
	var tars []string
	for i := range rounds {
		tars = append(tars, filepath.Join(dir, fmt.Sprintf("%d.tar", i)))
		wantPair(t, restoreTo(t, tars...))
	}
	if _, err := s.GC(t.Context(), nil); err != nil {
		t.Error(err)
	}
	if _, err := s.Repair(t.Context(), &tstore.RepairOptions{}); err != nil {
		t.Error(err)
	}
	acceptPlace(t, s)
}

// acceptPlace takes the mark off that a killed writer may have left.
func acceptPlace(t *testing.T, s *tstore.Store) {
	t.Helper()
	if _, err := s.Repair(t.Context(), &tstore.RepairOptions{AcceptDirty: []string{"place"}}); err != nil {
		t.Error(err)
	}
}

// untilFree makes a backup as soon as nothing is being written in place.
func untilFree(t *testing.T, s *tstore.Store, dest string, o *tstore.BackupOptions) (*tstore.BackupReport, error) {
	t.Helper()
	for {
		r, err := s.Backup(t.Context(), dest, o)
		if !errors.Is(err, tstore.ErrBusy) && !errors.Is(err, tstore.ErrConflict) {
			return r, err
		}
	}
}

// backupChild makes one backup after the other, with changes in between.
func backupChild(ctx context.Context, s *tstore.Store, args []string) error {
	for i := 1; ; i++ {
		fmt.Println(i)
		v := float64(i)
		err := s.Update(ctx, func(tx *tstore.Tx) error {
			return errors.Join(tx.Replace("a", constant(v, 3000)), tx.Replace("b", constant(v, 9000)), tx.Replace("n", constant(v, 1)))
		})
		rows, stat := s.Stat(ctx, "log")
		if err := errors.Join(err, stat); err != nil {
			return err
		}
		row := float64(rows.Layout.Shape()[0])/100 + 1
		err = errors.Join(s.Append(ctx, "log", constant(row, 100)), s.Fill(ctx, "filled[:10]", dtype.ScalarOf(v)))
		if err == nil {
			_, err = s.Backup(ctx, args[0], nil)
		}
		if err != nil {
			return err
		}
	}
}

// TestKillBackup kills a process that makes backups, again and again: the folder
// has a good one each time, and what the dead have left goes.
func TestKillBackup(t *testing.T) {
	t.Parallel()
	s := pairStore(t)
	dest := filepath.Join(t.TempDir(), "b")
	rng := rand.New(rand.NewPCG(*killSeed, 1))
	for range *backupKills {
		kill := startChild(t, "backup", s.Dir(), dest)
		time.Sleep(time.Duration(rng.Int64N(int64(60 * time.Millisecond))))
		kill()
		found := contentsOf(t, dest)
		if found == nil {
			continue
		}
		b := openStore(t, dest)
		n := values(t, b, "n")[0]
		for i, v := range append(values(t, b, "a"), values(t, b, "b")...) {
			if v != n {
				t.Fatalf("element %d is %v, and n is %v", i, v, n)
			}
		}
		for i, v := range values(t, b, "log") {
			if v != float64(i/100+1) {
				t.Fatalf("row %d of the log is %v", i/100, v)
			}
		}
	}
	if _, err := s.Repair(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	backup(t, s, dest, nil)
	wantContents(t, dest, contents(t, s))
	if _, err := s.GC(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	wantNoTrace(t, s)
}
