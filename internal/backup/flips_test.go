package backup_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// smallBackup is a store with a little of everything.
func smallBackup(t *testing.T) *tstore.Store {
	t.Helper()
	s := storetest.NewStore(t)
	storetest.Must(t, errors.Join(s.Import(t.Context(), "sealed", storetest.Source(t, 0, 20), nil), s.Create(t.Context(), "open", storetest.Source(t, 5, 3))))
	storetest.Create(t, s, "x", storetest.Source(t, 1, 2))
	storetest.Snapshot(t, s, "a")
	storetest.Must(t, storetest.Appended(t.Context(), s, 3))
	return s
}

// TestVerifyFindsFlips flips a bit of every kind of byte of a tar, and many at random: verify finds
// each, but for the filling behind entries, which means nothing.
func TestVerifyFindsFlips(t *testing.T) {
	t.Parallel()
	s := smallBackup(t)
	file := filepath.Join(t.TempDir(), "b.tar")
	storetest.Backup(t, s, file, nil)
	b, err := os.ReadFile(file)
	storetest.Must(t, err)
	if r, err := tstore.VerifyBackup(t.Context(), file, nil); err != nil || len(r.Damage) > 0 {
		t.Fatalf("whole: %+v, %v", r, err)
	}
	r := rand.New(rand.NewPCG(7, 8))
	for _, at := range flipPlaces(t, b, r) {
		bit := byte(1) << r.IntN(5) // not that of upper case, which keys of JSON may have
		b[at] ^= bit
		storetest.Must(t, os.WriteFile(file, b, 0o644))
		report, err := tstore.VerifyBackup(t.Context(), file, nil)
		if err == nil && len(report.Damage) == 0 && !isFilling(t, b, at) {
			t.Errorf("bit %d of byte %d is not noticed: %q", bit, at, b[max(0, at-20):min(len(b), at+20)])
		}
		b[at] ^= bit
	}
}

// flipPlaces are some bytes of each header of a tar, all of small entries, the first, the last and
// some of others, and some at random.
func flipPlaces(t *testing.T, b []byte, r *rand.Rand) (places []int) {
	t.Helper()
	in := bytes.NewReader(b)
	entries := tar.NewReader(in)
	for {
		h, err := entries.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		storetest.Must(t, err)
		start := len(b) - in.Len()
		for at := start - 512; at < start; at += 1 + r.IntN(storetest.Few(60, 150)) {
			places = append(places, at)
		}
		if h.Size < 200 {
			for at := range h.Size {
				places = append(places, start+int(at))
			}
			continue
		}
		for range 10 {
			places = append(places, start+r.IntN(int(h.Size)))
		}
		places = append(places, start, start+int(h.Size)-1)
	}
	for range storetest.Few(200, 10) {
		places = append(places, r.IntN(len(b)))
	}
	return append(places, len(b)-1, len(b)-1024)
}

// isFilling reports whether a byte of a tar lies behind the end of an entry, or of the number in
// its header that sums that.
func isFilling(t *testing.T, b []byte, at int) bool {
	t.Helper()
	in := bytes.NewReader(b)
	entries := tar.NewReader(in)
	for {
		h, err := entries.Next()
		if err != nil {
			return false
		}
		start := len(b) - in.Len()
		if at == start-512+154 || at == start-512+155 {
			return true
		}
		end := start + int(h.Size)
		if at >= end && at < (end+511)/512*512 {
			return true
		}
	}
}

// TestVerifyFindsFlipsOfTexts flips the bits of the small files of a folder.
func TestVerifyFindsFlipsOfTexts(t *testing.T) {
	t.Parallel()
	s := smallBackup(t)
	dir := filepath.Join(t.TempDir(), "folder")
	storetest.Backup(t, s, dir, nil)
	for _, name := range []string{"STORE", "BACKUP"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		storetest.Must(t, err)
		for at := range b {
			b[at] ^= 1
			storetest.Must(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
			if r, err := tstore.VerifyBackup(t.Context(), dir, nil); err == nil && len(r.Damage) == 0 {
				t.Errorf("byte %d of %s", at, name)
			}
			b[at] ^= 1
		}
		storetest.Must(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
	}
	if r, err := tstore.VerifyBackup(t.Context(), dir, nil); err != nil || len(r.Damage) > 0 {
		t.Errorf("whole again: %+v, %v", r, err)
	}
}
