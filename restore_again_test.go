package tstore_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

// again deletes x, or not, restores it from snapshot a, and gives it elements that it did not have:
// each time as many.
type again struct {
	name string
	// rows and sealed are what x is at first.
	rows   int
	sealed bool
	change func(ctx context.Context, s *tstore.Store, v float64) error
}

var agains = []again{
	{"append", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), restoredX(ctx, s), appended(ctx, s, v))
	}},
	{"append to a sealed one", 2, true, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), restoredX(ctx, s), appended(ctx, s, v))
	}},
	{"append to many sealed blocks", backupRows, true, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), restoredX(ctx, s), appended(ctx, s, v))
	}},
	{"append twice", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), restoredX(ctx, s), appended(ctx, s, v), appended(ctx, s, v+1))
	}},
	{"append and rename", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Rename(ctx, "x", "y"), restoredX(ctx, s), s.Delete(ctx, "y"), appended(ctx, s, v))
	}},
	{"append after a change", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Fill(ctx, "x[0]", dtype.ScalarOf(v)), restoredX(ctx, s), appended(ctx, s, v))
	}},
	{"lengthen", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), restoredX(ctx, s), s.Resize(ctx, "x", 4), s.Fill(ctx, "x[2:]", dtype.ScalarOf(v)))
	}},
	{"set", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		return errors.Join(s.Delete(ctx, "x"), restoredX(ctx, s), s.Fill(ctx, "x[1]", dtype.ScalarOf(v)))
	}},
	{"create", 2, false, func(ctx context.Context, s *tstore.Store, v float64) error {
		src, err := tstore.FromSlice([]float64{v, v}, 2)
		return errors.Join(err, s.Delete(ctx, "x"), s.Create(ctx, "x", src))
	}},
}

func restoredX(ctx context.Context, s *tstore.Store) error {
	_, err := s.RestoreSnapshot(ctx, "a", "x")
	return err
}

func appended(ctx context.Context, s *tstore.Store, v float64) error {
	src, err := tstore.FromSlice([]float64{v, v}, 2)
	return errors.Join(err, s.Append(ctx, "x", src))
}

// start makes a store with x, a view of it, and snapshot a.
func (a again) start(t *testing.T) *tstore.Store {
	t.Helper()
	s := newStore(t)
	make := s.Create
	if a.sealed {
		make = func(ctx context.Context, name string, src tstore.Source) error { return s.Import(ctx, name, src, nil) }
	}
	must(t, make(t.Context(), "x", source(t, 1, a.rows)))
	snapshot(t, s, "a")
	return s
}

// TestBackupsAfterRestoresAgain backs up, to a folder and to a tar since the one before, a tensor
// that is restored to the same state again and again, and gets other elements each time.
func TestBackupsAfterRestoresAgain(t *testing.T) {
	for _, a := range agains {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			s := a.start(t)
			dir := t.TempDir()
			folder, sources := filepath.Join(dir, "folder"), []string(nil)
			for i, v := range []float64{3, 70, 3, 9} {
				must(t, a.change(t.Context(), s, v))
				tar := filepath.Join(dir, fmt.Sprintf("%d.tar", i))
				o := &tstore.BackupOptions{}
				if i > 0 {
					o.Since = sources[i-1]
				}
				sources = append(sources, tar)
				backup(t, s, folder, nil)
				backup(t, s, tar, o)
				want := contents(t, s)
				wantContents(t, restoreTo(t, folder), want)
				wantContents(t, restoreTo(t, sources...), want)
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
	for _, a := range agains {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			s := a.start(t)
			careful, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Paranoid: true})
			if err != nil {
				t.Fatal(err)
			}
			defer careful.Close()
			was, open := []([]float64){}, []*tstore.Tensor{}
			for _, v := range []float64{3, 70, 3, 9} {
				must(t, a.change(t.Context(), s, v))
				x, err := careful.Get(t.Context(), "x")
				if err != nil {
					t.Fatal(err)
				}
				defer x.Close()
				open, was = append(open, x), append(was, values(t, s, "x"))
				for i, x := range open {
					// The first element is one that a change writes in place.
					if now := elements(t, x.Tensor); !slices.Equal(was[i][1:], now[1:]) {
						t.Fatalf("opened after change %d: it ends in %v, and did in %v", i, now[max(0, len(now)-4):], was[i][max(0, len(was[i])-4):])
					}
				}
			}
			wantValues(t, s, "x@a[:2]", 1, 2)
		})
	}
}

// TestStaleAfterRestoresAgain materialises what is computed from a tensor, and compares the
// versions, after each restore and change of that.
func TestStaleAfterRestoresAgain(t *testing.T) {
	for _, a := range agains {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			s := a.start(t)
			define(t, s, "sum", "x.sum()")
			must(t, s.Materialize(t.Context(), "sum", nil))
			last := uint64(0)
			for _, v := range []float64{3, 70, 3, 9} {
				must(t, a.change(t.Context(), s, v))
				f, err := s.Formula(t.Context(), "sum")
				if err != nil || !f.Stale {
					t.Fatalf("x has changed to %v: %+v, %v", v, f, err)
				}
				info, err := s.Stat(t.Context(), "x")
				if err != nil || info.Version() <= last {
					t.Fatalf("version %d after %d, %v", info.Version(), last, err)
				}
				last = info.Version()
				must(t, s.Materialize(t.Context(), "sum", nil))
			}
		})
	}
}

// TestJobInputsAfterRestoresAgain resumes a job whose input was restored meanwhile and changed, to
// as many elements.
func TestJobInputsAfterRestoresAgain(t *testing.T) {
	s, file := jobStore(t)
	snapshot(t, s, "a")
	change := func(v float64) {
		t.Helper()
		must(t, errors.Join(s.Delete(t.Context(), "v"), second(s.RestoreSnapshot(t.Context(), "a", "v")), s.Fill(t.Context(), "v[3]", dtype.ScalarOf(v))))
	}
	change(3)
	job := longWork[4].interrupted(t, s, file)
	change(70)
	if err := s.ResumeJob(t.Context(), job.ID(), nil); !errors.Is(err, tstore.ErrInputChanged) {
		t.Errorf("resumed: %v", err)
	}
	must(t, second(s.RemoveJob(t.Context(), job.ID())))
}

// TestViewsMoveOnTogether appends to a restored tensor that shares its storage, where rows lie
// behind its end: its views go on sharing its elements.
func TestViewsMoveOnTogether(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 1, 2))
	must(t, s.View(t.Context(), "v", "x[:1]"))
	snapshot(t, s, "a")
	must(t, appended(t.Context(), s, 3))
	must(t, s.Delete(t.Context(), "x", "v"))
	restore(t, s, "a")
	must(t, appended(t.Context(), s, 70))
	fill(t, s, "v", 9)
	wantValues(t, s, "x", 9, 2, 70, 70)
	wantValues(t, s, "x@a", 1, 2)
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
