package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/filelock"
)

// TestLockTimeoutFlag checks that --lock-timeout bounds the wait for a tensor that another writer
// has.
func TestLockTimeoutFlag(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	s, err := tstore.Init(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Create(t.Context(), "x", tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{9}}}); err != nil {
		t.Fatal(err)
	}
	w, err := s.OpenWritable(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	for _, wait := range []string{"0", "20ms"} {
		for _, command := range []string{"fill x 1", "eval --in-place x+=1", "eval x[3]=1"} {
			var out, errs bytes.Buffer
			args := append([]string{"--store", dir, "--lock-timeout", wait}, strings.Fields(command)...)
			code := run(args, strings.NewReader(""), &out, &errs)
			if code != 2 || !strings.Contains(errs.String(), `for the write lock of "x"`) {
				t.Errorf("--lock-timeout %s %s: exit code %d, %q", wait, command, code, errs.String())
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	using, err := filelock.TryLock(filepath.Join(dir, "lock"), 2, filelock.Shared) // as a writer before its commit
	if err != nil {
		t.Fatal(err)
	}
	const limit, tries = 20 * time.Second, 3
	took := time.Hour
	for try := 0; try < tries && took > limit; try++ {
		var errs bytes.Buffer
		began := time.Now()
		code := run([]string{"--store", dir, "--lock-timeout", "20ms", "fsck", "--salvage"}, strings.NewReader(""), &bytes.Buffer{}, &errs)
		took = min(took, time.Since(began))
		if code != 2 || !strings.Contains(errs.String(), "keeps writers off") {
			t.Errorf("salvage: exit code %d, %q", code, errs.String())
		}
	}
	if took > limit {
		t.Errorf("salvage waited for %v at best", took)
	}
	if err := using.Unlock(); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"--store", dir, "--lock-timeout", "0", "fill", "x", "1"}, strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}); code != 0 {
		t.Errorf("exit code %d when nobody else writes", code)
	}
}
