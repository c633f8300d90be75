package store_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/storetest"
)

// createPackedPair makes x and y in one file, and v, a view of x.
func createPackedPair(t *testing.T, tx *tstore.Tx) error {
	x, y := storetest.Source(t, 0, 3), storetest.Source(t, 0, 3)
	x.Pack, y.Pack = true, true
	return errors.Join(tx.Create("x", x), tx.Create("y", y), tx.View("v", "x[1:]"))
}

// lengthen are the calls that make the tensor x longer.
var lengthen = map[string]func(ctx context.Context, t *testing.T, s *tstore.Store) error{
	"append": func(ctx context.Context, t *testing.T, s *tstore.Store) error {
		return s.Append(ctx, "x", storetest.Source(t, 0, 2))
	},
	"resize": func(ctx context.Context, t *testing.T, s *tstore.Store) error { return s.Resize(ctx, "x", 5) },
}

// wantShared fails the test unless x and v have their elements in one storage.
func wantShared(t *testing.T, s *tstore.Store) {
	t.Helper()
	if storetest.Stat(t, s, "x").Storage.ID != storetest.Stat(t, s, "v").Storage.ID {
		t.Error("the view v does not share x's elements")
	}
}

// TestViewsFollowWhatIsMovedBeside makes a tensor longer, and at each moment of that gives it a
// file of its own: its view goes on sharing its elements.
func TestViewsFollowWhatIsMovedBeside(t *testing.T) {
	t.Parallel()
	for name, call := range lengthen {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storetest.NewStore(t)
			other := storetest.Impatient(t, s.Dir(), time.Millisecond)
			move := func() error {
				_, err := other.OwnFile(t.Context(), "x")
				return err
			}
			storetest.AtEachMoment(t, move, func(ctx context.Context, _ func() bool) {
				storetest.Must(t, s.Update(t.Context(), func(tx *tstore.Tx) error { return createPackedPair(t, tx) }))
				storetest.Must(t, call(ctx, t, s))
				wantShared(t, s)
				storetest.Must(t, s.Delete(t.Context(), "x", "y", "v"))
			})
		})
	}
}

// opensBeside is a file system that runs change once, when it has opened a file.
type opensBeside struct {
	fsx.FS
	change func() error
}

func (o *opensBeside) OpenFile(name string, flag int, perm fs.FileMode) (fsx.File, error) {
	f, err := o.FS.OpenFile(name, flag, perm)
	if change := o.change; change != nil && err == nil {
		o.change = nil
		err = change()
	}
	return f, err
}

// TestViewsFollowWhatReplacesBeside makes a view longer that is replaced meanwhile by a tensor that
// shares a file: the view of that goes on sharing its elements.
func TestViewsFollowWhatReplacesBeside(t *testing.T) {
	t.Parallel()
	for name, call := range lengthen {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := storetest.NewStore(t)
			storetest.Create(t, other, "z", storetest.Source(t, 0, 3))
			storetest.Must(t, other.View(t.Context(), "x", "z[1:]"))
			replace := func() error {
				return other.Update(t.Context(), func(tx *tstore.Tx) error { return errors.Join(tx.Delete("x"), createPackedPair(t, tx)) })
			}
			s, err := storetest.OpenOn(t.Context(), other.Dir(), &opensBeside{FS: fsx.OS, change: replace}, nil)
			storetest.Must(t, err)
			defer s.Close()
			storetest.Must(t, call(t.Context(), t, s))
			wantShared(t, s)
		})
	}
}
