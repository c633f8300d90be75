package snapshots_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// TestBackupsAfterRestoresAgain backs up, to a folder and to a tar since the one before, a tensor
// that is restored to the same state again and again, and gets other elements each time.
func TestBackupsAfterRestoresAgain(t *testing.T) {
	for _, a := range storetest.SomeAgains(0) {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			s := a.Start(t)
			dir := t.TempDir()
			folder, sources := filepath.Join(dir, "folder"), []string(nil)
			for i, v := range []float64{3, 70, 3, 9} {
				storetest.Must(t, a.Change(t.Context(), s, v))
				tar := filepath.Join(dir, fmt.Sprintf("%d.tar", i))
				o := &tstore.BackupOptions{}
				if i > 0 {
					o.Since = sources[i-1]
				}
				sources = append(sources, tar)
				storetest.Backup(t, s, folder, nil)
				storetest.Backup(t, s, tar, o)
				want := storetest.Contents(t, s)
				storetest.WantContents(t, storetest.RestoreTo(t, folder), want)
				storetest.WantContents(t, storetest.RestoreTo(t, sources...), want)
				if r, err := tstore.VerifyBackup(t.Context(), folder, nil); err != nil || len(r.Damage) > 0 {
					t.Errorf("verify: %+v, %v", r, err)
				}
			}
		})
	}
}

// TestOpenTensorsAfterRestoresAgain keeps tensors open, with paranoia, while their name is restored
// and changed: they keep their elements, and new ones see theirs.
func TestOpenTensorsAfterRestoresAgain(t *testing.T) {
	for _, a := range storetest.Agains {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			s := a.Start(t)
			careful, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Paranoid: true})
			if err != nil {
				t.Fatal(err)
			}
			defer careful.Close()
			was, open := []([]float64){}, []*tstore.Tensor{}
			for _, v := range []float64{3, 70, 3, 9} {
				storetest.Must(t, a.Change(t.Context(), s, v))
				x, err := careful.Get(t.Context(), "x")
				if err != nil {
					t.Fatal(err)
				}
				defer x.Close()
				open, was = append(open, x), append(was, storetest.Values(t, s, "x"))
				for i, x := range open {
					// The first element is one that a change writes in place.
					if now := storetest.Elements(t, x.Tensor); !slices.Equal(was[i][1:], now[1:]) {
						t.Fatalf("opened after change %d: it ends in %v, and did in %v", i, now[max(0, len(now)-4):], was[i][max(0, len(was[i])-4):])
					}
				}
			}
			storetest.WantValues(t, s, "x@a[:2]", 1, 2)
		})
	}
}

// TestStaleAfterRestoresAgain materialises what is computed from a tensor, and compares the
// versions, after each restore and change of that.
func TestStaleAfterRestoresAgain(t *testing.T) {
	for _, a := range storetest.Agains {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			s := a.Start(t)
			storetest.Define(t, s, "sum", "x.sum()")
			storetest.Must(t, s.Materialize(t.Context(), "sum", nil))
			last := uint64(0)
			for _, v := range []float64{3, 70, 3, 9} {
				storetest.Must(t, a.Change(t.Context(), s, v))
				f, err := s.Formula(t.Context(), "sum")
				if err != nil || !f.Stale {
					t.Fatalf("x has changed to %v: %+v, %v", v, f, err)
				}
				info, err := s.Stat(t.Context(), "x")
				if err != nil || info.Version() <= last {
					t.Fatalf("version %d after %d, %v", info.Version(), last, err)
				}
				last = info.Version()
				storetest.Must(t, s.Materialize(t.Context(), "sum", nil))
			}
		})
	}
}

// TestJobInputsAfterRestoresAgain resumes a job whose input was restored meanwhile and changed, to
// as many elements.
func TestJobInputsAfterRestoresAgain(t *testing.T) {
	s, file := storetest.JobStore(t)
	storetest.Snapshot(t, s, "a")
	change := func(v float64) {
		t.Helper()
		storetest.Must(t, errors.Join(s.Delete(t.Context(), "v"), storetest.Second(s.RestoreSnapshot(t.Context(), "a", "v")), s.Fill(t.Context(), "v[3]", dtype.ScalarOf(v))))
	}
	change(3)
	job := storetest.LongWork[4].Interrupted(t, s, file)
	change(70)
	if err := s.ResumeJob(t.Context(), job.ID(), nil); !errors.Is(err, tstore.ErrInputChanged) {
		t.Errorf("resumed: %v", err)
	}
	storetest.Must(t, storetest.Second(s.RemoveJob(t.Context(), job.ID())))
}

// TestViewsMoveOnTogether appends to a restored tensor that shares its storage, where rows lie
// behind its end: its views go on sharing its elements.
func TestViewsMoveOnTogether(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 1, 2))
	storetest.Must(t, s.View(t.Context(), "v", "x[:1]"))
	storetest.Snapshot(t, s, "a")
	storetest.Must(t, storetest.Appended(t.Context(), s, 3))
	storetest.Must(t, s.Delete(t.Context(), "x", "v"))
	storetest.Restore(t, s, "a")
	storetest.Must(t, storetest.Appended(t.Context(), s, 70))
	fill(t, s, "v", 9)
	storetest.WantValues(t, s, "x", 9, 2, 70, 70)
	storetest.WantValues(t, s, "x@a", 1, 2)
	infos := map[string]catalog.Storage{}
	for _, name := range []string{"x", "v"} {
		info, err := s.Stat(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		infos[name] = info.Storage
	}
	if diff := cmp.Diff(infos["x"], infos["v"]); diff != "" {
		t.Error(diff)
	}
}
