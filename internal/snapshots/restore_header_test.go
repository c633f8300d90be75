package snapshots_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// TestHeaderOfFileWithViewsOnly changes what is known of a file of which only parts have names: its
// header goes on to describe the array that was there, and is what the catalog expects.
func TestHeaderOfFileWithViewsOnly(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, s *tstore.Store){
		"the view is restored": func(t *testing.T, s *tstore.Store) {
			storetest.Must(t, s.Delete(t.Context(), "q"))
			storetest.Must(t, storetest.Second(s.CreateSnapshot(t.Context(), "monday", "")))
			storetest.Must(t, s.Delete(t.Context(), "c"))
			storetest.Must(t, storetest.Second(s.RestoreSnapshot(t.Context(), "monday")))
		},
		"the array is made shorter": func(t *testing.T, s *tstore.Store) {
			storetest.Must(t, s.Resize(t.Context(), "q", 4))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Must(t, s.Create(t.Context(), "q", storetest.Source(t, 1, 7)))
			storetest.Must(t, s.View(t.Context(), "c", "q[1:]"))
			change(t, s)
			if problems, err := s.Check(t.Context()); err != nil || len(problems) > 0 {
				t.Errorf("%v, %v", problems, err)
			}
		})
	}
}

// TestHeaderBesideWriter restores a tensor, or makes it shorter, while a transaction has the lock
// of its file, so that the header can't be written: that is a note, and Repair writes it.
func TestHeaderBesideWriter(t *testing.T) {
	for name, change := range map[string]func(s *tstore.Store) error{
		"restored": func(s *tstore.Store) error { return storetest.Second(s.RestoreSnapshot(t.Context(), "monday", "b")) },
		"shorter":  func(s *tstore.Store) error { return s.Resize(t.Context(), "b", 2) },
	} {
		t.Run(name, func(t *testing.T) {
			s, ctx := storetest.NewStore(t), t.Context()
			storetest.Create(t, s, "a", storetest.Source(t, 1, 3))
			storetest.Create(t, s, "b", storetest.Source(t, 1, 3))
			storetest.Must(t, storetest.Second(s.CreateSnapshot(ctx, "monday", "")))
			storetest.Must(t, s.Append(ctx, "b", storetest.Source(t, 4, 2)))
			err := s.Update(ctx, func(tx *tstore.Tx) error {
				storetest.Must(t, storetest.EvalIn(ctx, tx, "a[0] += 1; b[0] += 1"))
				storetest.Must(t, change(s))
				return io.EOF
			})
			if !errors.Is(err, io.EOF) {
				t.Fatal(err)
			}
			problems, err := s.Check(ctx)
			storetest.Must(t, err)
			for _, p := range problems {
				if p.Kind != tstore.ProblemHeader || !p.Harmless {
					t.Errorf("%+v", p)
				}
			}
			storetest.Must(t, storetest.Second(s.Repair(ctx, nil)))
			if problems, err := s.Check(ctx); err != nil || len(problems) > 0 {
				t.Errorf("after repair: %v, %v", problems, err)
			}
		})
	}
}

// TestHeaderOfPartOfFile changes a view of a file whose longer array was made shorter and has gone:
// the new file still says of what type and shape it was, as Salvage needs it.
func TestHeaderOfPartOfFile(t *testing.T) {
	s, ctx := storetest.NewStore(t), t.Context()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3, 2))
	storetest.Must(t, s.Append(ctx, "x", storetest.Source(t, 6, 2, 2)))
	storetest.Must(t, s.Resize(ctx, "x", 3, 2))
	storetest.Must(t, s.View(ctx, "column", "x[:, 1]"))
	storetest.Must(t, s.Delete(ctx, "x"))
	storetest.Must(t, storetest.Second(s.CreateSnapshot(ctx, "monday", "")))
	storetest.Must(t, s.Fill(ctx, "column[0]", dtype.ScalarOf(9.0)))
	e, err := s.Lookup(ctx, "column")
	storetest.Must(t, err)
	b, err := os.ReadFile(filepath.Join(s.Dir(), e.Storage.File()))
	storetest.Must(t, err)
	if !strings.Contains(string(b[:200]), "'shape': (3, 2)") {
		t.Errorf("the header is %q, want one of shape (3, 2)", b[:200])
	}
}
