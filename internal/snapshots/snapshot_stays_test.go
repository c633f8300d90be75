package snapshots_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// TestSnapshotStays changes tensors in every way there is, and reads what they were from a
// snapshot, before and after gc, through this handle and a new one.
func TestSnapshotStays(t *testing.T) {
	for name, change := range map[string]func(context.Context, *tstore.Store) error{
		"patch":   func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "x[1]", dtype.ScalarOf(9.0)) },
		"rewrite": func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "wide", dtype.ScalarOf(9.0)) },
		"picked": func(ctx context.Context, s *tstore.Store) error {
			return s.Fill(ctx, "x[[0, 2]]", dtype.ScalarOf(9.0))
		},
		"in place":      func(ctx context.Context, s *tstore.Store) error { return storetest.WriteInPlace(ctx, s, "x", 9) },
		"eval":          storetest.Evaluates("x[1] = 9; wide = wide + 1"),
		"eval in place": storetest.EvaluatesInPlace("x += 9; wide[:7] = 9"),
		"append":        func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "x", storetest.Source(t, 6, 2)) },
		"append in place": func(ctx context.Context, s *tstore.Store) error {
			return s.Append(ctx, "wide", storetest.Source(t, 6, 2))
		},
		"append and change": func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Append(ctx, "wide", storetest.Source(t, 6, 2)), s.Fill(ctx, "wide[7]", dtype.ScalarOf(9.0)), s.Append(ctx, "wide", storetest.Source(t, 6, 2)))
		},
		"append and delete": func(ctx context.Context, s *tstore.Store) error {
			return errors.Join(s.Append(ctx, "wide", storetest.Source(t, 6, 2)), s.Delete(ctx, "wide"))
		},
		"narrow": func(ctx context.Context, s *tstore.Store) error { return s.Resize(ctx, "x", 1) },
		"replace": func(ctx context.Context, s *tstore.Store) error {
			return s.Replace(ctx, "x", storetest.Source(t, 7, 3))
		},
		"delete": func(ctx context.Context, s *tstore.Store) error { return s.Delete(ctx, "x", "wide", "v") },
		"rename": func(ctx context.Context, s *tstore.Store) error { return s.Rename(ctx, "x", "z") },
		"attribute": func(ctx context.Context, s *tstore.Store) error {
			return s.SetAttr(ctx, "x", "unit", catalog.StringValue("m"))
		},
		"blob": func(ctx context.Context, s *tstore.Store) error { return s.PutBlob(ctx, "b", catalog.IntValue(2)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", storetest.Source(t, 0, 4))
			storetest.Create(t, s, "wide", storetest.Source(t, 0, storetest.Wide))
			storetest.Must(t, s.View(t.Context(), "v", "wide[5:8]"))
			storetest.Must(t, s.PutBlob(t.Context(), "b", catalog.IntValue(1)))
			storetest.Define(t, s, "lazy", "x * 2")
			storetest.Snapshot(t, s, "monday")
			storetest.Must(t, change(t.Context(), s))
			wantAsMonday(t, s)
			storetest.Collect(t, s)
			wantAsMonday(t, s)
			again, err := tstore.Open(t.Context(), s.Dir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			wantAsMonday(t, again)
			storetest.Must(t, again.Close())
			storetest.WantSound(t, s.Dir())

			storetest.Restore(t, s, "monday")
			wantAsMonday(t, s)
			for sel, want := range map[string][]float64{"x": storetest.UpTo(4), "v": {5, 6, 7}, "wide[-1]": {storetest.Wide - 1}} {
				storetest.WantValues(t, s, sel, want...)
			}
			for diff, err := range s.DiffSnapshots(t.Context(), "monday", "") {
				t.Errorf("restored, and yet different: %+v, %v", diff, err)
			}
			storetest.WantSound(t, s.Dir())
			storetest.Must(t, s.Append(t.Context(), "wide", storetest.Source(t, 70, 2)))
			fill(t, s, "x[0]", 80)
			storetest.WantValues(t, s, "wide[-3:]", storetest.Wide-1, 70, 71)
			wantAsMonday(t, s)

			if _, err := s.RemoveSnapshot(t.Context(), "monday"); err != nil {
				t.Fatal(err)
			}
			storetest.WantValues(t, s, "x", 80, 1, 2, 3)
			if n := storetest.Collect(t, s); n > 0 {
				t.Errorf("%d files were left behind", n)
			}
			sum, err := s.Summary(t.Context())
			if n := storetest.StorageFiles(t, s.Dir()); err != nil || n != sum.Storages {
				t.Errorf("%d files are left for %d storages, %v", n, sum.Storages, err)
			}
		})
	}
}

func wantAsMonday(t *testing.T, s *tstore.Store) {
	t.Helper()
	storetest.WantValues(t, s, "x@monday", 0, 1, 2, 3)
	storetest.WantValues(t, s, "x@monday[1:3]", 1, 2)
	storetest.WantValues(t, s, "v@monday", 5, 6, 7)
	if got := storetest.Values(t, s, "wide@monday"); !slices.Equal(got, storetest.UpTo(storetest.Wide)) {
		t.Errorf("wide@monday: %v …", got[:10])
	}
	wantComputed(t, s, "lazy@monday", 0, 2, 4, 6)
	wantComputed(t, s, "x@monday[[3, 0]]", 3, 0)
	b, err := s.Blob(t.Context(), "b@monday")
	if err != nil || b != catalog.IntValue(1) {
		t.Errorf("b@monday is %v, %v", b, err)
	}
	attrs, err := s.Attrs(t.Context(), "x@monday")
	if err != nil || len(attrs) > 0 {
		t.Errorf("attributes of x@monday: %v, %v", attrs, err)
	}
	var names []string
	for item, err := range s.List(t.Context(), &tstore.ListOptions{Snapshot: "monday"}) {
		if err != nil {
			t.Error(err)
		}
		names = append(names, item.Name)
	}
	if diff := cmp.Diff([]string{"b", "lazy", "v", "wide", "x"}, names); diff != "" {
		t.Errorf("names (-want +got): %s", diff)
	}
}

// TestSnapshotForAnotherProcess keeps a tensor of a snapshot open, and a handle that has read it,
// while another process changes and removes everything.
func TestSnapshotForAnotherProcess(t *testing.T) {
	ctx := t.Context()
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, storetest.Wide))
	storetest.Snapshot(t, s, "monday")
	open, err := s.Get(ctx, "x@monday")
	storetest.Must(t, err)
	defer open.Close()
	for _, step := range []string{"fill", "delete", "gc", "rm"} {
		storetest.WantValues(t, s, "x@monday[:2]", 0, 1)
		cmd := exec.Command(os.Args[0], s.Dir(), step)
		cmd.Env = append(os.Environ(), storetest.ChildEnv+"=unsnapshot")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", step, err, out)
		}
	}
	if got := storetest.Elements(t, open.Tensor); !slices.Equal(got, storetest.UpTo(storetest.Wide)) {
		t.Errorf("open tensor: %v …", got[:5])
	}
	if _, err := s.Get(ctx, "x@monday"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("after rm: %v", err)
	}
	if files := snapshotFiles(t, s.Dir()); len(files) > 0 || storetest.StorageFiles(t, s.Dir()) > 0 {
		t.Errorf("left behind: %v and %d storage files", files, storetest.StorageFiles(t, s.Dir()))
	}
}

// unsnapshotChild does one step of TestSnapshotForAnotherProcess.
func unsnapshotChild(ctx context.Context, s *tstore.Store, args []string) error {
	var err error
	switch args[0] {
	case "fill":
		err = errors.Join(s.Fill(ctx, "x[0]", dtype.ScalarOf(9.0)), storetest.WriteInPlace(ctx, s, "x", 8))
	case "delete":
		err = s.Delete(ctx, "x")
	case "gc":
		_, err = s.GC(ctx, nil)
	case "rm":
		_, err = s.RemoveSnapshot(ctx, "monday")
	}
	return err
}
