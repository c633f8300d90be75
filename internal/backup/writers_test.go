package backup_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// pairChild changes a store without end: two tensors that are always equal, a log whose length is
// their value, and a view; and it does what keeps a store tidy.
func pairChild(ctx context.Context, s *tstore.Store, _ []string) error {
	for i := 1; ; i++ {
		v := float64(i)
		err := s.Update(ctx, func(tx *tstore.Tx) error {
			return errors.Join(tx.Replace("a", storetest.Constant(v, 3000)), tx.Replace("b", storetest.Constant(v, 9000)), tx.Replace("n", storetest.Constant(v, 1)))
		})
		if err == nil {
			err = s.Append(ctx, "log", storetest.Constant(v, 100))
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
			err = errors.Join(storetest.FillInPlace("place")(ctx, s), storetest.IgnoreMissing(s.Delete(ctx, "gone")), s.Create(ctx, "gone", storetest.Constant(v, 9000)))
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
	cmd.Env = append(os.Environ(), storetest.ChildEnv+"="+what)
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
	s := storetest.NewStore(t)
	for name, n := range map[string]int{"a": 3000, "b": 9000, "n": 1, "filled": 20_000, "place": 9000, "log": 0} {
		storetest.Create(t, s, name, storetest.Constant(0, n))
	}
	return s
}

// wantPair looks whether a copy of the store is one of its states.
func wantPair(t *testing.T, dir string) {
	t.Helper()
	s := storetest.OpenStore(t, dir)
	a, b, n := storetest.Values(t, s, "a"), storetest.Values(t, s, "b"), storetest.Values(t, s, "n")[0]
	if len(a) != 3000 || len(b) != 9000 {
		t.Fatalf("%d and %d elements", len(a), len(b))
	}
	for i, v := range append(a, b...) {
		if v != n {
			t.Fatalf("element %d is %v, and n is %v", i, v, n)
		}
	}
	log := storetest.Values(t, s, "log")
	if rows := float64(len(log)) / 100; rows != n && rows != n-1 {
		t.Errorf("the log has %v rows of step %v", rows, n)
	}
	for i, v := range log {
		if v != float64(i/100+1) {
			t.Fatalf("row %d of the log is %v", i/100, v)
		}
	}
	storetest.WantSound(t, dir)
}

// TestBackupWhileOthersWrite makes backups of a store that another process changes all the time:
// each is one state of it.
func TestBackupWhileOthersWrite(t *testing.T) {
	t.Parallel()
	s := pairStore(t)
	kill := startChild(t, "pair", s.Dir())
	dir := t.TempDir()
	folder, since := filepath.Join(dir, "b"), ""
	rounds := storetest.Few(6, 3)
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
		wantPair(t, storetest.RestoreTo(t, tars...))
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
