package store_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

// spoiledFiles are ways in which the data file of a tensor is no longer what the catalog says.
var spoiledFiles = map[string]func(file string) error{
	"cut":             func(file string) error { return os.Truncate(file, 5000) },
	"cut by a byte":   func(file string) error { return storetest.Resized(file, -1) },
	"cut in header":   func(file string) error { return os.Truncate(file, 100) },
	"emptied":         func(file string) error { return os.Truncate(file, 0) },
	"shorter file":    func(file string) error { return os.WriteFile(file, []byte("another"), 0o644) },
	"longer file":     func(file string) error { return os.WriteFile(file, bytes.Repeat([]byte("another "), 1<<15), 0o644) },
	"header is zeros": func(file string) error { return storetest.Overwrite(file, make([]byte, 4096)) },
	"other's header":  otherHeader,
	"folder":          func(file string) error { return errors.Join(os.Remove(file), os.Mkdir(file, 0o755)) },
	"gone":            os.Remove,
}

// otherHeader gives a file the header of another one of the store.
func otherHeader(file string) error {
	all, err := filepath.Glob(filepath.Join(filepath.Dir(filepath.Dir(file)), "*", "*.npy"))
	for _, other := range all {
		if other == file || err != nil {
			continue
		}
		b, err := os.ReadFile(other)
		if err != nil {
			return err
		}
		return storetest.Overwrite(file, b[:4096])
	}
	return errors.Join(err, os.ErrNotExist)
}

// TestSpoiledFileIsNotWritten spoils the file of a tensor of 1,000 × 7, and changes it in every
// way: each is an error, and the file stays as it is.
func TestSpoiledFileIsNotWritten(t *testing.T) {
	t.Parallel()
	ways := map[string]struct {
		prepare func(*testing.T, *tstore.Store)
		change  func(context.Context, *tstore.Store) error
	}{
		"append": {change: func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "x", storetest.Source(t, 0, 7)) }},
		"append to sealed": {prepare: func(t *testing.T, s *tstore.Store) {
			sealed := storetest.Source(t, 0, 4096, 4) // the last block is full: none is verified
			sealed.Seal = true
			storetest.Must(t, s.Replace(t.Context(), "x", sealed))
		}, change: func(ctx context.Context, s *tstore.Store) error { return s.Append(ctx, "x", storetest.Source(t, 0, 4)) }},
		"resize": {change: func(ctx context.Context, s *tstore.Store) error { return s.Resize(ctx, "x", 2000, 7) }},
		"set":    {change: func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, "x[0]", storetest.Scalar(t, 5)) }},
		"large change": {change: func(ctx context.Context, s *tstore.Store) error {
			return s.Fill(ctx, "big[1:]", storetest.Scalar(t, 5))
		}},
		"eval":           {change: storetest.Evaluates("x[1:3] += 1")},
		"eval, several":  {change: storetest.Evaluates("x[1:3] += 1; y += 1")},
		"eval, in place": {change: storetest.EvaluatesInPlace("x[1:3] += 1")},
		"write in place": {change: func(ctx context.Context, s *tstore.Store) error {
			return storetest.Second(s.OpenWritable(ctx, "x[1:3]"))
		}},
		"write in place beside a snapshot": {
			prepare: func(t *testing.T, s *tstore.Store) {
				storetest.Must(t, storetest.Second(s.CreateSnapshot(t.Context(), "a", "")))
			},
			change: func(ctx context.Context, s *tstore.Store) error {
				return storetest.Second(s.OpenWritable(ctx, "x[1:3]"))
			},
		},
		"seal": {change: func(ctx context.Context, s *tstore.Store) error { return s.Seal(ctx, "x", nil) }},
		"redo": {
			prepare: func(t *testing.T, s *tstore.Store) {
				storetest.Must(t, storetest.PutPatch(t.Context(), s, "x", catalog.Patch{Offset: 50_000, Bytes: make([]byte, 8)}))
				storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State = catalog.Patching }))
			},
			change: func(ctx context.Context, s *tstore.Store) error { return storetest.Second(s.Get(ctx, "x")) },
		},
		"sync": {
			prepare: func(t *testing.T, s *tstore.Store) {
				quick, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Durability: tstore.DurabilityProcess})
				storetest.Must(t, err)
				defer quick.Close()
				storetest.Must(t, quick.Append(t.Context(), "x", storetest.Source(t, 0, 7)))
			},
			change: func(ctx context.Context, s *tstore.Store) error { return storetest.Second(s.Sync(ctx)) },
		},
	}
	for way, w := range ways {
		t.Run(way, func(t *testing.T) {
			for damage, spoil := range spoiledFiles {
				s := spoilable(t)
				if w.prepare != nil {
					w.prepare(t, s)
				}
				name := "x"
				if way == "large change" {
					name = "big"
				}
				before := storetest.Stat(t, s, name)
				file := filepath.Join(s.Dir(), filepath.FromSlash(before.Storage.File()))
				storetest.Must(t, spoil(file))
				found, _ := os.ReadFile(file)
				err := w.change(t.Context(), s)
				if way == "sync" && damage == "gone" {
					continue // it may have been deleted meanwhile
				}
				if err == nil {
					t.Errorf("%s: worked", damage)
				}
				if left, _ := os.ReadFile(file); !bytes.Equal(left, found) {
					t.Errorf("%s: %d bytes became %d others (%v)", damage, len(found), len(left), err)
				}
				if after := storetest.Stat(t, s, name); !after.Layout.Equal(before.Layout) || after.Storage.Boot != before.Storage.Boot {
					t.Errorf("%s: the tensor was %v, and is %v now (%v)", damage, before.Layout, after.Layout, err)
				}
			}
		})
	}
}

// spoilable is a store with x, of 1,000 × 7, y, and big, which is changed by a copy.
func spoilable(t *testing.T) *tstore.Store {
	t.Helper()
	s, err := tstore.Init(t.Context(), filepath.Join(t.TempDir(), "s"), nil)
	storetest.Must(t, err)
	t.Cleanup(func() { s.Close() })
	storetest.Create(t, s, "x", storetest.Source(t, 0, 1000, 7))
	storetest.Create(t, s, "y", storetest.Source(t, 0, 10_000))
	storetest.Create(t, s, "big", storetest.Source(t, 0, 150_000))
	return s
}

// TestAppendToCutFile: what the errors of a cut file say, and that what was appended before an
// interruption is no damage.
func TestAppendToCutFile(t *testing.T) {
	s := spoilable(t)
	file := filepath.Join(s.Dir(), filepath.FromSlash(storetest.Stat(t, s, "x").Storage.File()))
	storetest.Must(t, storetest.Resized(file, 12_345))
	storetest.Must(t, s.Append(t.Context(), "x", storetest.Source(t, 7000, 7)))
	storetest.WantValues(t, s, "x[-1]", 7000, 7001, 7002, 7003, 7004, 7005, 7006)
	storetest.Must(t, os.Truncate(file, 5000))
	if err := s.Append(t.Context(), "x", storetest.Source(t, 0, 7)); !errors.Is(err, tstore.ErrTruncated) {
		t.Errorf("append to a file that was cut: %v, want ErrTruncated", err)
	}
	if _, err := s.Repair(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "x", storetest.Source(t, 0, 7)); !errors.Is(err, tstore.ErrQuarantined) {
		t.Errorf("append after repair: %v, want ErrQuarantined", err)
	}
}
