package storetest

import (
	"errors"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore"
)

const (
	// ProcessBytes is what a Go process needs before it computes anything.
	ProcessBytes = 40 << 20
	// CeilingFactor is how many ceilings each operand takes.
	CeilingFactor = 8
	// NoLimit is the exit status of scripts/with-memory-limit where it can't set one.
	NoLimit = 125
)

// DropFromCache takes a file out of the page cache.
func DropFromCache(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}

// UsedTime is what this process has had of the processors.
func UsedTime() (time.Duration, error) {
	var use unix.Rusage
	err := unix.Getrusage(unix.RUSAGE_SELF, &use)
	return time.Duration(use.Utime.Nano() + use.Stime.Nano()), err
}

// WantReadable expects that a store made by prepare can be read where nothing can be written.
func WantReadable(t *testing.T, dir string) {
	t.Helper()
	ctx := t.Context()
	if s, err := tstore.Open(ctx, dir, nil); err == nil {
		s.Close()
		t.Error("a store where nothing can be written was opened for writing")
	} else if !errors.Is(err, unix.EROFS) && !errors.Is(err, unix.EACCES) {
		t.Errorf("open for writing: %v", err)
	}
	s, err := tstore.Open(ctx, dir, &tstore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	WantValues(t, s, "x", UpTo(6)...)
	r, err := s.Eval(ctx, "big[:3] + untouched[2]", nil)
	if err == nil {
		err = r.Close()
	}
	found, checked := s.Check(ctx)
	report, verified := s.Verify(ctx, nil)
	if err := errors.Join(err, checked, verified); err != nil || len(found) > 0 || len(report.Damage) > 0 {
		t.Errorf("%v, %+v, %+v", err, found, report)
	}
	if err := s.Create(ctx, "new", Source(t, 0, 3)); !errors.Is(err, tstore.ErrReadOnly) {
		t.Errorf("create: %v", err)
	}
	BackUpAll(t, s, t.TempDir(), Contents(t, s))
}
