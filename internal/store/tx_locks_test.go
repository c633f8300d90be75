package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

// TestTransactionKeepsItsLocks lets a second transaction change the tensors that a first one has
// changed and not committed: it waits until then.
func TestTransactionKeepsItsLocks(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "a", storetest.Source(t, 0, 2))
	storetest.Create(t, s, "b", storetest.Source(t, 0, 2))
	changed, ended := make(chan struct{}), make(chan error, 1)
	err := s.Update(ctx, func(tx *tstore.Tx) error {
		if err := storetest.EvalIn(ctx, tx, "a[0] -= 1; b[0] += 1"); err != nil {
			return err
		}
		go func() {
			ended <- s.Update(ctx, func(tx *tstore.Tx) error {
				defer close(changed)
				return storetest.EvalIn(ctx, tx, "a[1] -= 7; b[1] += 7")
			})
		}()
		select {
		case <-changed:
			t.Error("two transactions have changed one tensor at a time")
		case <-time.After(20 * time.Millisecond):
		}
		return nil
	})
	storetest.Must(t, errors.Join(err, <-ended))
	storetest.WantValues(t, s, "a", -1, -6)
	storetest.WantValues(t, s, "b", 1, 8)
	_, err = s.GC(ctx, nil)
	storetest.Must(t, err)
	storetest.WantSound(t, s.Dir())
}

// TestTransactionsInARing lets two transactions lock two tensors, each another one first: one of
// them is refused, and the other goes on at once.
func TestTransactionsInARing(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	names := []string{"a", "b"}
	for _, name := range names {
		storetest.Create(t, s, name, storetest.Source(t, 0, 2))
	}
	locked, both, ended := make(chan struct{}), make(chan struct{}), make(chan error, len(names))
	for i := range names {
		go func() {
			ended <- s.Update(ctx, func(tx *tstore.Tx) error {
				for j := range names {
					name := names[(i+j)%len(names)]
					if err := storetest.EvalIn(ctx, tx, fmt.Sprintf("%[1]s[%[2]d] += 1; %[1]s[%[2]d] += 1", name, i)); err != nil {
						return err
					}
					if j == 0 {
						locked <- struct{}{}
						<-both
					}
				}
				return nil
			})
		}()
	}
	for range names {
		<-locked
	}
	close(both)
	done := 0
	for range names {
		err := <-ended
		switch {
		case err == nil:
			done++
		case !errors.Is(err, tstore.ErrBusy) || !strings.Contains(err.Error(), "repeat the transaction"):
			t.Errorf("got %v, want ErrBusy", err)
		}
	}
	if done != 1 {
		t.Errorf("%d transactions were committed, want 1", done)
	}
	storetest.WantSound(t, s.Dir())
}

// TestChangesInATransaction makes changes that touch what an earlier step of the transaction has
// locked. What is refused is refused at once, and not when the hour ends for which locks are waited
// for.
func TestChangesInATransaction(t *testing.T) {
	ctx := t.Context()
	tests := []struct {
		name, text string
		o          *tstore.EvalOptions
		err        string
	}{
		{name: "another tensor", text: "c[0] = 3; c[1] = 4"},
		{name: "the same name", text: "a[0] = 3; c[0] = 3", err: "is changed earlier in this transaction"},
		{name: "a view of it", text: "v[0] = 3; c[0] = 3", err: `"v" shares its elements with "a"`},
		{name: "one statement", text: "c[0] = 3"},
		{name: "one statement, a view of it", text: "v[0] = 3", err: `"v" shares its elements with "a"`},
		{name: "picked", text: "c[[0]] = 3", err: "nor in a transaction"},
		{name: "in place", text: "v[0] = 3", o: &tstore.EvalOptions{InPlace: true}, err: "can't be part of a transaction"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := storetest.NewStore(t)
			for _, name := range []string{"a", "b", "c"} {
				storetest.Create(t, s, name, storetest.Source(t, 0, 2))
			}
			storetest.Must(t, s.View(ctx, "v", "a[1:]"))
			err := storetest.Impatient(t, s.Dir(), time.Hour).Update(ctx, func(tx *tstore.Tx) error {
				err := storetest.EvalIn(ctx, tx, "a[0] = 1; b[0] = 1")
				if err == nil {
					err = storetest.Discard(tx.Store().Eval(ctx, tt.text, tt.o))
				}
				return err
			})
			if tt.err == "" && err != nil || tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("got %v, want an error with %q", err, tt.err)
			}
			want := 0.0
			if tt.err == "" {
				want = 1
			}
			storetest.WantValues(t, s, "a", want, 1)
			storetest.WantSound(t, s.Dir())
		})
	}
}

// TestChangeTensorsOfOneJob changes two tensors whose storages have one lock byte, because one job
// has made them.
func TestChangeTensorsOfOneJob(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Eval(t, s, "a = arange(20_000); b = arange(20_000)", &tstore.EvalOptions{Journal: storetest.MustResume})
	s = storetest.Impatient(t, s.Dir(), 100*time.Millisecond)
	storetest.Eval(t, s, "a[0] = 5; b[1] = 6", nil)
	storetest.WantValues(t, s, "a[:2]", 5, 1)
	storetest.WantValues(t, s, "b[:2]", 0, 6)
}

// TestPublishOverwritesNothing makes a file of the name that a transaction's has in the end, while
// it runs: it is not overwritten, nor removed.
func TestPublishOverwritesNothing(t *testing.T) {
	s := storetest.NewStore(t)
	ctx := t.Context()
	storetest.Create(t, s, "a", storetest.Source(t, 0, 2))
	info, err := s.Stat(ctx, "a")
	storetest.Must(t, err)
	next := info.Storage
	next.Gen++
	path := filepath.Join(s.Dir(), filepath.FromSlash(next.File()))
	err = s.Update(ctx, func(tx *tstore.Tx) error {
		err := storetest.EvalIn(ctx, tx, "a[0] = 1; a[1] = 2")
		storetest.WriteFile(t, path, "another's")
		return err
	})
	if !errors.Is(err, tstore.ErrConflict) {
		t.Errorf("got %v, want ErrConflict", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "another's" {
		t.Errorf("the other file: %q, %v", got, err)
	}
	storetest.WantValues(t, s, "a", 0, 1)
	storetest.Eval(t, s, "a[0] = 1; a[1] = 2", nil)
	storetest.WantValues(t, s, "a", 1, 2)
}

// TestNameTakenAway makes tensors of names that the transaction has deleted or given away before.
func TestNameTakenAway(t *testing.T) {
	ctx := t.Context()
	for _, free := range []string{"delete", "rename"} {
		for name, fn := range map[string]func(in *tstore.Store) error{
			"copy":          func(in *tstore.Store) error { return in.Copy(ctx, "d", "q", nil) },
			"computed copy": func(in *tstore.Store) error { return in.Copy(ctx, "d", "q[[0, 1, 2]]", nil) },
			"lazy copy":     func(in *tstore.Store) error { return in.Copy(ctx, "d", "lazy", nil) },
			"eval":          func(in *tstore.Store) error { return storetest.Discard(in.Eval(ctx, "d = q + 0", nil)) },
		} {
			t.Run(free+"/"+name, func(t *testing.T) {
				s := storetest.NewStore(t)
				storetest.Create(t, s, "q", storetest.Source(t, 5, 3))
				storetest.Create(t, s, "d", storetest.Source(t, 0, 2))
				storetest.Must(t, s.Define(ctx, "lazy", "q + 0", nil))
				err := s.Update(ctx, func(tx *tstore.Tx) error {
					away := tx.Delete
					if free == "rename" {
						away = func(name string) error { return tx.Rename(name, "old") }
					}
					return errors.Join(away("d"), fn(tx.Store()))
				})
				storetest.Must(t, err)
				storetest.WantValues(t, s, "d", 5, 6, 7)
				storetest.WantSound(t, s.Dir())
			})
		}
	}
	s := storetest.NewStore(t)
	storetest.Create(t, s, "q", storetest.Source(t, 5, 3))
	storetest.Create(t, s, "d", storetest.Source(t, 0, 2))
	err := s.Update(ctx, func(tx *tstore.Tx) error {
		return errors.Join(tx.Delete("d"), tx.PutBlob("d", catalog.IntValue(1)), storetest.EvalIn(ctx, tx, "d = q"))
	})
	if err == nil || !strings.Contains(err.Error(), "is changed earlier in this transaction") {
		t.Errorf("a name that was taken again: %v", err)
	}
}
