package backup_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// namesOfFilled are all that fillStore makes.
var namesOfFilled = []string{"sealed", "open", "log", "sparse", "empty", "small", "view", "blob", "lazy"}

// TestCopyFrom copies names of all kinds: they have what they have in the other store.
func TestCopyFrom(t *testing.T) {
	from, to := storetest.NewStore(t), storetest.NewStore(t)
	ctx := t.Context()
	fillStore(t, from)
	n, err := to.CopyFrom(ctx, from.Dir(), append(namesOfFilled, "small/two@monday"), nil)
	storetest.Must(t, err)
	if n != 10 {
		t.Errorf("copied %d names, want 10", n)
	}
	storetest.WantValues(t, to, "small/two[:2]", storetest.Values(t, from, "small/two@monday[:2]")...)
	storetest.Must(t, to.Delete(ctx, "small/two"))
	_, err = from.RemoveSnapshot(ctx, "monday")
	storetest.Must(t, err)
	storetest.WantContents(t, to.Dir(), storetest.Contents(t, from))

	// The view is one of the copy, and shares nothing with the other store.
	storetest.Must(t, to.Fill(ctx, "log[0]", storetest.Scalar(t, -5)))
	storetest.WantValues(t, to, "view[0]", -5, -5)
	storetest.WantSound(t, from.Dir())
	storetest.WantSound(t, to.Dir())
}

// TestCopyFromRefuses: nothing is copied where something can't be.
func TestCopyFromRefuses(t *testing.T) {
	ctx := t.Context()
	for name, tt := range map[string]struct {
		names []string
		o     func(t *testing.T, from *tstore.Store) *tstore.CopyFromOptions
		want  error
	}{
		"a name that is not there": {names: []string{"open", "nothing"}, want: tstore.ErrNotFound},
		"a name that is taken":     {names: []string{"log", "open"}, want: tstore.ErrExists},
		"a change meanwhile": {[]string{"log"}, func(t *testing.T, from *tstore.Store) *tstore.CopyFromOptions {
			return &tstore.CopyFromOptions{Rename: func(name string) string {
				storetest.Must(t, from.Fill(ctx, "view", storetest.Scalar(t, 1)))
				return name
			}}
		}, tstore.ErrConflict},
		"a tensor that goes meanwhile": {[]string{"log"}, func(t *testing.T, from *tstore.Store) *tstore.CopyFromOptions {
			return &tstore.CopyFromOptions{Rename: func(name string) string {
				storetest.Must(t, from.Delete(ctx, "log", "view"))
				return name
			}}
		}, tstore.ErrConflict},
		"elements that are written": {[]string{"log"}, func(t *testing.T, from *tstore.Store) *tstore.CopyFromOptions {
			w, err := from.OpenWritable(ctx, "log")
			storetest.Must(t, err)
			t.Cleanup(func() { storetest.Must(t, w.Close()) })
			return nil
		}, tstore.ErrDirty},
		"damage": {[]string{"open", "sealed"}, func(t *testing.T, from *tstore.Store) *tstore.CopyFromOptions {
			path, err := from.File(ctx, "sealed")
			storetest.Must(t, err)
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			storetest.Must(t, err)
			_, err = f.WriteAt([]byte{0xff}, 9000)
			storetest.Must(t, errors.Join(err, f.Close()))
			return &tstore.CopyFromOptions{Overwrite: true}
		}, tstore.ErrChecksum},
	} {
		t.Run(name, func(t *testing.T) {
			from, to := storetest.NewStore(t), storetest.NewStore(t)
			fillStore(t, from)
			storetest.Create(t, to, "open", storetest.Source(t, 3, 2))
			before := storetest.Contents(t, to)
			var o *tstore.CopyFromOptions
			if tt.o != nil {
				o = tt.o(t, from)
			}
			if _, err := to.CopyFrom(ctx, from.Dir(), tt.names, o); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
			storetest.WantContents(t, to.Dir(), before)
			storetest.WantNoTrace(t, to)
		})
	}
}

// TestCopyFromFailsAtEveryOperation fails or stops at one operation after the other: all names are
// there or none, and gc removes what else is.
func TestCopyFromFailsAtEveryOperation(t *testing.T) {
	const every = 5
	for i, mode := range []string{"EIO", "ENOSPC", "stop"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			from, _, _ := smallStore(t, "")
			names := []string{"kept", "log", "patched"}
			for k := 1 + i; ; k += every {
				dir := filepath.Join(t.TempDir(), fmt.Sprint(k))
				made, err := tstore.Init(t.Context(), dir, nil)
				storetest.Must(t, err)
				storetest.Must(t, made.Close())

				done := copyFailing(t, dir, from.Dir(), names, mode, k)
				s := storetest.OpenStore(t, dir)
				if there := len(storetest.Contents(t, s)); there != 0 && there != len(names) {
					t.Fatalf("operation %d: %d names are there", k, there)
				}
				_, err = s.GC(t.Context(), nil)
				storetest.Must(t, err)
				storetest.WantNoTrace(t, s)
				if done {
					return
				}
			}
		})
	}
}

// copyFailing copies with a failure at operation k, and reports whether it ended before k.
func copyFailing(t *testing.T, dir, from string, names []string, mode string, k int) (done bool) {
	t.Helper()
	faulty := fsx.NewFaulty(fsx.OS)
	switch mode {
	case "EIO":
		faulty.FailAt(k, syscall.EIO)
	case "ENOSPC":
		faulty.FailAt(k, syscall.ENOSPC)
	case "stop":
		faulty.StopAt(k)
	}
	s, err := storetest.OpenOn(t.Context(), dir, faulty, nil)
	if err != nil {
		return faulty.Ops() < k
	}
	defer s.Close()
	_, err = s.CopyFrom(t.Context(), from, names, nil)
	return err == nil && faulty.Ops() < k
}

// copyChild copies two tensors of another store into groups, one after the other.
func copyChild(ctx context.Context, s *tstore.Store, args []string) error {
	for i := 1; ; i++ {
		fmt.Println(i)
		_, err := s.CopyFrom(ctx, args[0], []string{"kept", "log", "patched"}, &tstore.CopyFromOptions{
			Overwrite: true, Rename: func(name string) string { return fmt.Sprintf("g%d/%s", i%50, name) },
		})
		if err != nil {
			return err
		}
	}
}

// TestKillCopyFrom kills a process that copies, again and again: each group has all its names.
func TestKillCopyFrom(t *testing.T) {
	t.Parallel()
	from, _, _ := smallStore(t, "")
	s := storetest.NewStore(t)
	rng := rand.New(rand.NewPCG(*storetest.KillSeed, 2))
	for range *backupKills {
		kill := startChild(t, "copy", s.Dir(), from.Dir())
		time.Sleep(time.Duration(rng.Int64N(int64(60 * time.Millisecond))))
		kill()
		found := map[string]int{}
		for item, err := range s.List(t.Context(), &tstore.ListOptions{Match: "*/*"}) {
			storetest.Must(t, err)
			found[filepath.Dir(item.Name)]++
		}
		for group, n := range found {
			if n != 3 {
				t.Errorf("group %s has %d names", group, n)
			}
		}
	}
	_, err := s.Repair(t.Context(), nil)
	storetest.Must(t, err)
	_, err = s.GC(t.Context(), nil)
	storetest.Must(t, err)
	storetest.WantNoTrace(t, s)
}
