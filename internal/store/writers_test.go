package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

// TestDisjointWriters opens parts of one tensor for writing at the same time, with one handle and
// with two.
func TestDisjointWriters(t *testing.T) {
	for name, tc := range map[string]struct {
		first, second string
		busy          bool
	}{
		"halves":         {"x[:2]", "x[2:]", false},
		"interleaved":    {"x[:, ::2]", "x[:, 1::2]", false},
		"columns":        {"x[:, :3]", "x[:, 3:]", false},
		"view and rest":  {"v", "x[1:]", false},
		"backwards":      {"x[::-1][:2]", "x[:2]", false},
		"same":           {"x[1]", "x[1]", true},
		"one element":    {"x[:2, ::2]", "x[1:, 1:3]", true},
		"view":           {"v[0]", "x.T[0, 0]", true},
		"all":            {"x", "x[3, 5]", true},
		"half a complex": {"z.real", "z[1:].view(float64)", true},
		"parts of one":   {"z.real", "z.imag", false},
		"nothing":        {"x[:0]", "x", false},
	} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", storetest.Source(t, 0, 4, 6))
			storetest.Must(t, s.View(t.Context(), "v", "x[0]"))
			storetest.Must(t, s.CreateFilled(t.Context(), "z", tstore.Spec{DType: dtype.Complex128, Shape: []int{3}}, func(*view.Tensor) error { return nil }))
			for _, other := range []*tstore.Store{s, storetest.Impatient(t, s.Dir(), 0)} {
				first, err := s.OpenWritable(t.Context(), tc.first)
				storetest.Must(t, err)
				second, err := other.OpenWritable(t.Context(), tc.second)
				if !tc.busy {
					storetest.Must(t, err)
					storetest.Must(t, errors.Join(view.Fill(t.Context(), first.Tensor, storetest.Scalar(t, 7)), view.Fill(t.Context(), second.Tensor, storetest.Scalar(t, 8)), second.Flush(), second.Close()))
				} else if !errors.Is(err, tstore.ErrBusy) {
					t.Fatalf("got %v, want ErrBusy", err)
				} else {
					storetest.WantMentioned(t, err, fmt.Sprintf("process %d (", os.Getpid()), tc.first, tc.second, "bytes ", "since ", "wait until it has finished")
				}
				storetest.Must(t, first.Close())
				for sel, want := range map[string]float64{tc.first: 7, tc.second: 8} {
					if got := storetest.Values(t, s, sel); !tc.busy && slices.ContainsFunc(got, func(v float64) bool { return v != want }) {
						t.Errorf("%s: got %v, want %v", sel, got, want)
					}
				}
			}
			if st := storetest.Stat(t, s, strings.Fields(strings.NewReplacer("[", " ", ".", " ").Replace(tc.first))[0]).Storage; st.State != catalog.Clean || len(st.Writers) > 0 {
				t.Errorf("afterwards the storage is %v, written by %+v", st.State, st.Writers)
			}
		})
	}
}

// TestReadingBesideWriters reads what nobody writes, of a tensor and of one that shares its file.
func TestReadingBesideWriters(t *testing.T) {
	s := packedStore(t)
	w, err := s.OpenWritable(t.Context(), "a[2:4]")
	storetest.Must(t, err)
	storetest.Must(t, view.Fill(t.Context(), w.Tensor, storetest.Scalar(t, 9)))
	for sel, dirty := range map[string]bool{"a[:2]": false, "a[4:]": false, "b": false, "a": true, "a[::3]": true, "a[1:5:3]": false} {
		x, err := s.Get(t.Context(), sel)
		if err == nil {
			storetest.Must(t, x.Close())
		}
		if errors.Is(err, tstore.ErrDirty) != dirty || err != nil && !dirty {
			t.Errorf("%s: %v", sel, err)
		}
		if dirty {
			storetest.WantMentioned(t, err, "a[2:4]", fmt.Sprintf("process %d (", os.Getpid()))
		}
	}
	if err := storetest.Discard(s.Eval(t.Context(), "c = b*2; b = b + 1", nil)); err != nil {
		t.Errorf("replacing what lies beside: %v", err)
	}
	storetest.Must(t, w.Close())
	before := storetest.Stat(t, s, "a").Version()
	w, err = s.OpenWritable(t.Context(), "a[:1]")
	storetest.Must(t, err)
	other, err := s.OpenWritable(t.Context(), "a[1:]")
	storetest.Must(t, err)
	storetest.Must(t, errors.Join(w.Close(), other.Close()))
	if now := storetest.Stat(t, s, "a").Version(); now < before+2 {
		t.Errorf("two writers: version %d became %d", before, now)
	}
}

// TestManyWriters has goroutines with two handles write rows and columns.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	const n, rounds = 16, 5
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, n, 100))
	other := storetest.Impatient(t, s.Dir(), 0)
	for _, sel := range []string{"x[%d]", "x.T[%d::16]"} {
		var all sync.WaitGroup
		for g := range n {
			all.Go(func() {
				for round := range rounds {
					h := []*tstore.Store{s, other}[(g+round)%2]
					w, err := h.OpenWritable(t.Context(), fmt.Sprintf(sel, g))
					if err != nil {
						t.Error(err)
						return
					}
					if err := errors.Join(view.Fill(t.Context(), w.Tensor, storetest.Scalar(t, float64(100*g+round))), w.Close()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		for g := range n {
			part := fmt.Sprintf(sel, g)
			for _, v := range storetest.Values(t, s, part) {
				if v != float64(100*g+rounds-1) {
					t.Fatalf("%s has %v", part, v)
				}
			}
		}
	}
}

// TestEvalBesideWriter runs statements in place, and others, while a process writes part of a
// tensor.
func TestEvalBesideWriter(t *testing.T) {
	t.Parallel()
	s := storetest.NewStore(t)
	hasty := storetest.Impatient(t, s.Dir(), 20*time.Millisecond)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 10))
	storetest.Define(t, s, "lazy", "x[:5]*2")
	storetest.Define(t, s, "wide", "x*2")
	p := startPart(t, s.Dir(), "x[8:]", -1)
	inPlace := &tstore.EvalOptions{InPlace: true}
	for _, text := range []string{"x[:4] += 1", "x[4:8] = x[:4]", "x[:2] = lazy[:2]", "x[0] = 5; x[1] = x[0]"} {
		if err := storetest.Discard(hasty.Eval(t.Context(), text, inPlace)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"x += 1", "x[:9] = 1", "x[:4] = x[6:]", "x[:2] = wide[:2]", "x[:2] = x.sum()"} {
		if err := storetest.Discard(hasty.Eval(t.Context(), text, inPlace)); !errors.Is(err, tstore.ErrLockTimeout) {
			t.Errorf("%s: %v, want ErrLockTimeout", text, err)
		} else {
			storetest.WantMentioned(t, err, "waited ", `the write lock of "x"`, "bytes 64 to 80", "x[8:]", fmt.Sprintf("process %d (", p.cmd.Process.Pid))
		}
	}
	for name, err := range map[string]error{
		"set":    hasty.Fill(t.Context(), "x[:2]", storetest.Scalar(t, 1)),
		"append": hasty.Append(t.Context(), "x", storetest.Source(t, 0, 1)),
		"seal":   hasty.Seal(t.Context(), "x", nil),
		"eval":   storetest.Discard(hasty.Eval(t.Context(), "x[:2] = 1", nil)),
	} {
		if !errors.Is(err, tstore.ErrLockTimeout) {
			t.Errorf("%s: %v, want ErrLockTimeout", name, err)
		}
		storetest.WantMentioned(t, err, fmt.Sprintf("process %d (", p.cmd.Process.Pid))
	}
	if _, err := s.CreateSnapshot(t.Context(), "s", ""); !errors.Is(err, tstore.ErrBusy) {
		t.Errorf("snapshot: %v, want ErrBusy", err)
	} else {
		storetest.WantMentioned(t, err, "x[8:]", fmt.Sprintf("process %d (", p.cmd.Process.Pid))
	}
	p.fill()
	p.end()
	storetest.WantValues(t, s, "x", 5, 5, 3, 4, 1, 2, 3, 4, -1, -1)
}

// TestWritersOfSnapshot has two processes write parts of what a snapshot has: one makes the copy,
// and both write that.
func TestWritersOfSnapshot(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 100_000))
	_, err := s.CreateSnapshot(t.Context(), "s", "")
	storetest.Must(t, err)
	other := storetest.Impatient(t, s.Dir(), 0)
	var all sync.WaitGroup
	for i, h := range []*tstore.Store{s, other, s, other} {
		all.Go(func() {
			w, err := h.OpenWritable(t.Context(), fmt.Sprintf("x[%d::4]", i))
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(view.Fill(t.Context(), w.Tensor, storetest.Scalar(t, 7)), w.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	storetest.WantAll(t, s, "x", 7)
	storetest.WantValues(t, s, "x@s[:4]", 0, 1, 2, 3)
	if st := storetest.Stat(t, s, "x").Storage; st.Gen != 1 {
		t.Errorf("generation %d, want 1: each writer made a copy", st.Gen)
	}
}

// TestQuarantineBesideWriter lets the flush of one writer fail while another is at work.
func TestQuarantineBesideWriter(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 10))
	w, err := s.OpenWritable(t.Context(), "x[:5]")
	storetest.Must(t, err)
	storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State = catalog.Quarantined }))
	if _, err := s.OpenWritable(t.Context(), "x[5:]"); !errors.Is(err, tstore.ErrQuarantined) {
		t.Errorf("open: %v, want ErrQuarantined", err)
	}
	if err := w.Close(); !errors.Is(err, tstore.ErrQuarantined) {
		t.Errorf("close: %v, want ErrQuarantined", err)
	}
	_, err = s.Repair(t.Context(), nil)
	storetest.Must(t, err)
	storetest.WantValues(t, s, "x[:2]", 0, 1)
}

// TestManyParts has one program write more parts than are told apart.
func TestManyParts(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 40))
	var text []string
	for i := range 40 {
		text = append(text, fmt.Sprintf("x[%d] = %d", i, 2*i))
	}
	w, err := s.OpenWritable(t.Context(), "x[39]")
	storetest.Must(t, err)
	hasty := storetest.Impatient(t, s.Dir(), 10*time.Millisecond)
	if err := storetest.Discard(hasty.Eval(t.Context(), strings.Join(text[:20], "; "), &tstore.EvalOptions{InPlace: true})); !errors.Is(err, tstore.ErrLockTimeout) {
		t.Errorf("got %v, want ErrLockTimeout", err)
	}
	storetest.Must(t, w.Close())
	storetest.Must(t, storetest.Discard(s.Eval(t.Context(), strings.Join(text, "; "), &tstore.EvalOptions{InPlace: true})))
	storetest.WantValues(t, s, "x[::20]", 0, 40)
}

// TestChangesBesideComers changes elements with statements that write a copy, while others begin
// and end to write in place all the time: they wait, and none of the changes is lost.
func TestChangesBesideComers(t *testing.T) {
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), &tstore.Options{Durability: tstore.DurabilityNone})
	storetest.Must(t, err)
	defer s.Close()
	storetest.Create(t, s, "x", storetest.Source(t, 0, 10))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 10))
	changes := storetest.Few(100, 10)
	var all sync.WaitGroup
	stop := make(chan struct{})
	end := sync.OnceFunc(func() { close(stop); all.Wait() })
	defer end()
	for _, part := range []string{"x[4:6]", "x[6:]"} {
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				w, err := s.OpenWritable(t.Context(), part)
				if err == nil {
					err = w.Close()
				}
				if err != nil && !errors.Is(err, tstore.ErrBusy) {
					t.Error(err)
					return
				}
			}
		})
	}
	for range changes {
		for _, text := range []string{"x[:2] += 1", "y[0] += 1; x[2:4] += 1"} {
			if err := storetest.Discard(s.Eval(t.Context(), text, nil)); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
	}
	end()
	n := float64(changes)
	storetest.WantValues(t, s, "x", n, n+1, n+2, n+3, 4, 5, 6, 7, 8, 9)
}

// TestRestoredWhileWritten deletes a tensor that is being written in place, and restores it from a
// snapshot: what was written is gone, and Close says so.
func TestRestoredWhileWritten(t *testing.T) {
	s, ctx := storetest.NewStore(t), t.Context()
	storetest.Create(t, s, "x", storetest.Source(t, 1, 3))
	storetest.Must(t, storetest.Second(s.CreateSnapshot(ctx, "monday", "")))
	w, err := s.OpenWritable(ctx, "x")
	storetest.Must(t, err)
	storetest.Must(t, view.Fill(ctx, w.Tensor, dtype.ScalarOf(7.0)))
	storetest.Must(t, s.Delete(ctx, "x"))
	storetest.Must(t, storetest.Second(s.RestoreSnapshot(ctx, "monday")))
	if err := w.Close(); !errors.Is(err, tstore.ErrConflict) {
		t.Errorf("close: %v, want ErrConflict", err)
	}
	storetest.WantValues(t, s, "x", 1, 2, 3)
}
