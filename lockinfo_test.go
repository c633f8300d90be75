package tstore_test

import (
	"errors"
	"os"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/view"
)

func TestLocks(t *testing.T) {
	s := newStore(t)
	create(t, s, "x", source(t, 0, 3))
	create(t, s, "y", source(t, 0, 3))
	if err := s.View(t.Context(), "part", "x[1:]"); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "linux" {
		if _, err := s.Locks(t.Context()); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("got %v", err)
		}
		return
	}
	locks := func() []tstore.LockInfo {
		all, err := s.Locks(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			if all[i].PID != os.Getpid() || all[i].Command == "" {
				t.Errorf("held by process %d (%s)", all[i].PID, all[i].Command)
			}
			all[i].PID, all[i].Command = 0, ""
		}
		return all
	}
	if all := locks(); len(all) != 0 {
		t.Errorf("nobody does anything: %v", all)
	}
	w, err := s.OpenWritable(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	want := []tstore.LockInfo{{Kind: tstore.LockStorage, Exclusive: true, Names: []string{"part", "x"}}}
	if diff := cmp.Diff(want, locks()); diff != "" {
		t.Errorf("while x is written in place (-want +got):\n%s", diff)
	}
	err = s.CreateFilled(t.Context(), "new", tstore.Spec{DType: w.DType(), Shape: []int{4}}, func(*view.Tensor) error {
		if all := locks(); len(all) != 2 || len(all[0].Names)+len(all[1].Names) != 2 {
			t.Errorf("while a tensor is made: %v", all)
		}
		return nil
	})
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	if all := locks(); len(all) != 0 {
		t.Errorf("afterwards: %v", all)
	}
}
