package backup_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// TestRestoreStopsAtEveryOperation stops a restore at each file operation, as if the process had
// died: there is the whole store or none, the next restore takes over what is left, and nothing of
// the first is there in the end.
func TestRestoreStopsAtEveryOperation(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 9000))
	if err := s.Delete(t.Context(), "y"); err != nil {
		t.Fatal(err)
	}
	want := storetest.Contents(t, s)
	root := t.TempDir()
	from := filepath.Join(root, "b")
	storetest.Backup(t, s, from, nil)
	takenOver, finished := 0, 0
	for k := 1; ; k++ {
		dir := filepath.Join(root, fmt.Sprint(k))
		faulty := fsx.NewFaulty(fsx.OS)
		faulty.StopAt(k)
		err := storetest.RestoreOn(t.Context(), []string{from}, dir, faulty)
		if faulty.Ops() < k {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		_, left := os.Stat(dir + ".restoring")
		_, err = tstore.Restore(t.Context(), []string{from}, dir, nil)
		switch {
		case errors.Is(err, tstore.ErrExists) && left != nil:
			finished++
		case err != nil:
			t.Fatalf("stopped at operation %d, %v: %v", k, faulty.Log()[k-1], err)
		case left == nil:
			takenOver++
		}
		wantFinished(t, dir, want)
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	if takenOver < 20 || finished < 2 {
		t.Errorf("taken over %d times, and found finished %d times", takenOver, finished)
	}
}

// wantFinished fails the test unless a store has these contents, and gc makes it one that nobody
// restores.
func wantFinished(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	r := storetest.OpenStore(t, dir)
	if _, err := r.GC(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	storetest.WantContents(t, dir, want)
	for _, gone := range []string{dir + ".restoring", filepath.Join(dir, "RESTORING")} {
		if _, err := os.Stat(gone); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is there: %v", gone, err)
		}
	}
}

// restoreChild restores the backup args[0] to args[1], and stops when it is whole and does not have
// its name yet, or, with a third argument, has it and still bears the mark.
func restoreChild(ctx context.Context, _ *tstore.Store, args []string) error {
	never, end, err := os.Pipe()
	if err != nil {
		return err
	}
	defer end.Close()
	faulty := fsx.NewFaulty(fsx.OS)
	faulty.FailIf(func(o fsx.Op) error {
		renames := o.Kind == fsx.OpRename && o.To == args[1]
		unmarks := o.Kind == fsx.OpRemove && filepath.Base(o.Path) == "RESTORING"
		if renames && len(args) == 2 || unmarks && len(args) > 2 {
			fmt.Println("ready")
			_, _ = never.Read(make([]byte, 1))
		}
		return nil
	})
	return storetest.RestoreOn(ctx, args[:1], args[1], faulty)
}

// TestKillRestore kills a restore that is about to give the store its name, or has just done it.
func TestKillRestore(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 9000))
	want := storetest.Contents(t, s)
	from := filepath.Join(t.TempDir(), "b.tar")
	storetest.Backup(t, s, from, nil)

	unnamed := filepath.Join(t.TempDir(), "r")
	startChild(t, "restore", s.Dir(), from, unnamed)()
	if _, err := os.Stat(filepath.Join(unnamed+".restoring", "STORE")); err != nil {
		t.Errorf("the restore was not killed where it was to be: %v", err)
	}
	if _, err := tstore.Restore(t.Context(), []string{from}, unnamed, nil); err != nil {
		t.Error(err)
	}
	wantFinished(t, unnamed, want)

	// A name under which the next restore would take it for a folder of its own.
	named := filepath.Join(t.TempDir(), "r.restoring")
	startChild(t, "restore", s.Dir(), from, named, "named")()
	if _, err := os.Stat(filepath.Join(named, "RESTORING")); err != nil {
		t.Errorf("the restore was not killed where it was to be: %v", err)
	}
	if _, err := tstore.Restore(t.Context(), []string{from}, named[:len(named)-len(".restoring")], nil); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("a finished store was taken for what a restore left: %v", err)
	}
	if found := storetest.Problems(t, named); len(found) != 1 || found[0].Kind != tstore.ProblemOrphan {
		t.Errorf("%+v", found)
	}
	wantFinished(t, named, want)
}
