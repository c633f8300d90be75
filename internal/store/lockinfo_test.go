package store_test

import (
	"errors"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

func TestLocks(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 3))
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
			if all[i].Part != "" && time.Since(all[i].Since) > time.Minute {
				t.Errorf("since %v", all[i].Since)
			}
			all[i].PID, all[i].Command, all[i].Since = 0, "", time.Time{}
		}
		return all
	}
	if all := locks(); len(all) != 0 {
		t.Errorf("nobody does anything: %v", all)
	}
	w, err := s.OpenWritable(t.Context(), "x[1:]")
	if err != nil {
		t.Fatal(err)
	}
	part := tstore.LockInfo{Kind: tstore.LockStorage, Exclusive: true, Names: []string{"part", "x"}, Part: "x[1:]", First: 8, End: 24}
	if diff := cmp.Diff([]tstore.LockInfo{part}, locks()); diff != "" {
		t.Errorf("while part of x is written in place (-want +got):\n%s", diff)
	}
	other, err := s.OpenWritable(t.Context(), "x[:1]")
	if err != nil {
		t.Fatal(err)
	}
	if all := locks(); len(all) != 2 || all[0].Part == all[1].Part {
		t.Errorf("while two parts of x are written in place: %+v", all)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
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
