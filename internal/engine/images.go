package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/mmapstore"
)

// maxImages bounds the snapshots that are kept open while nobody reads them.
const maxImages = 16

// Images keeps the snapshots used last open, mapped once each.
type Images struct {
	Mu struct {
		sync.Mutex
		ByID   map[catalog.ID]*Image
		closed bool
	}
}

// Image is an open snapshot and how many use it now.
type Image struct {
	*catalog.Image
	users int
}

// image opens a snapshot, or finds it open. The caller returns it with Release.

func (s *Store) image(snap catalog.Snapshot) (*Image, error) {
	im := &s.Images
	im.Mu.Lock()
	defer im.Mu.Unlock()

	if im.Mu.closed {
		return nil, s.closedError()
	}

	// The snapshot is opened under the lock, so that two callers share one mapping.
	m := im.Mu.ByID[snap.ID]
	if m == nil {
		opened, err := s.Catalog.OpenImage(snap)
		if err != nil {
			return nil, err
		}
		m = &Image{Image: opened}
		if im.Mu.ByID == nil {
			im.Mu.ByID = map[catalog.ID]*Image{}
		}
		im.Mu.ByID[snap.ID] = m
	}

	m.users++
	return m, nil
}

// Add adds an image that was opened elsewhere. It is in use until it is released.
func (im *Images) Add(id catalog.ID, opened *catalog.Image) (*Image, error) {
	im.Mu.Lock()
	defer im.Mu.Unlock()
	if im.Mu.closed {
		return nil, errors.Join(mmapstore.ErrClosed, opened.Close())
	}
	if im.Mu.ByID == nil {
		im.Mu.ByID = map[catalog.ID]*Image{}
	}
	m := &Image{Image: opened, users: 1}
	im.Mu.ByID[id] = m
	return m, nil
}

// Release ends one use of a snapshot. If more than maxImages are open it closes one that nobody
// uses.
func (im *Images) Release(m *Image) error {
	im.Mu.Lock()
	defer im.Mu.Unlock()
	m.users--

	// Close left the snapshot to its last user.
	if m.users == 0 && im.Mu.closed {
		return m.Close()
	}

	if len(im.Mu.ByID) <= maxImages {
		return nil
	}
	for id, other := range im.Mu.ByID {
		if other.users == 0 {
			delete(im.Mu.ByID, id)
			return other.Close()
		}
	}
	return nil
}

// drop releases a snapshot that does not stay open.
func (im *Images) drop(m *Image) error { return errors.Join(im.Release(m), im.Forget(m.Snapshot().ID)) }

// Forget closes a snapshot that has been removed, unless it is in use.
func (im *Images) Forget(id catalog.ID) error {
	im.Mu.Lock()
	defer im.Mu.Unlock()
	m := im.Mu.ByID[id]
	if m == nil || m.users > 0 {
		return nil
	}
	delete(im.Mu.ByID, id)
	return m.Close()
}

// Len returns how many snapshots are open.
func (im *Images) Len() int {
	im.Mu.Lock()
	defer im.Mu.Unlock()
	return len(im.Mu.ByID)
}

// close closes the images that nobody uses. The others are closed by their last users.
func (im *Images) close() error {
	im.Mu.Lock()
	defer im.Mu.Unlock()
	im.Mu.closed = true
	var errs []error
	for _, m := range im.Mu.ByID {
		if m.users == 0 {
			errs = append(errs, m.Close())
		}
	}
	im.Mu.ByID = nil
	return errors.Join(errs...)
}

// WithImage runs fn on an open snapshot.
func (s *Store) WithImage(snap catalog.Snapshot, fn func(*catalog.Image) error) error {
	m, err := s.image(snap)
	if err != nil {
		return err
	}
	return errors.Join(fn(m.Image), s.Images.Release(m))
}

// withImageOnce is WithImage for callers that read all snapshots in turn. The snapshot does not
// stay open: otherwise memory for mapped catalogs would grow with their number.
func (s *Store) withImageOnce(snap catalog.Snapshot, fn func(*catalog.Image) error) error {
	m, err := s.image(snap)
	if err != nil {
		return err
	}
	return errors.Join(fn(m.Image), s.Images.drop(m))
}

// imageWalk goes through snapshots. Each is seen beside the one before, with which it shares most
// of its records.
type imageWalk struct {
	store  *Store
	before *Image
}

// view runs fn on the catalog of a snapshot and on the one viewed before it, nil if there is none.
// It returns an error if the snapshot can't be read; the next call then gets the last one that
// could.
func (w *imageWalk) view(ctx context.Context, snap catalog.Snapshot, fn func(m *catalog.Image, c, before *catalog.Tx) error) error {
	m, err := w.store.image(snap)
	if err != nil {
		return err
	}

	err = m.View(ctx, func(c *catalog.Tx) error {
		if w.before == nil {
			return fn(m.Image, c, nil)
		}
		return w.before.View(ctx, func(before *catalog.Tx) error { return fn(m.Image, c, before) })
	})
	if err != nil {
		return errors.Join(err, w.store.Images.drop(m))
	}

	// The snapshot viewed before is no longer needed; this one stays open for the next call.
	err = w.close()
	w.before = m
	return err
}

// close lets go of the snapshot that was viewed last.
func (w *imageWalk) close() error {
	if w.before == nil {
		return nil
	}
	defer func() { w.before = nil }()
	return w.store.Images.drop(w.before)
}

// SnapshotNamed looks a snapshot up.
func (s *Store) SnapshotNamed(ctx context.Context, name string) (snap catalog.Snapshot, err error) {
	if err := s.CheckOpen(); err != nil {
		return snap, err
	}
	err = s.Catalog.View(ctx, func(c *catalog.Tx) error {
		snap, err = c.Snapshot(name)
		return err
	})
	if errors.Is(err, catalog.ErrNotFound) {
		err = fmt.Errorf("%w: tstore snapshot ls lists those that there are", err)
	}
	return snap, err
}

// ViewSnapshot runs fn on the catalog of a snapshot.
func (s *Store) ViewSnapshot(ctx context.Context, name string, fn func(*catalog.Tx) error) error {
	snap, err := s.SnapshotNamed(ctx, name)
	if err != nil {
		return err
	}
	return s.WithImage(snap, func(m *catalog.Image) error { return m.View(ctx, fn) })
}

// EntryAt returns what a name stood for when a snapshot was made.
func (s *Store) EntryAt(ctx context.Context, name, snapshot string) (e *catalog.Entry, err error) {
	snap, err := s.SnapshotNamed(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	err = s.WithImage(snap, func(m *catalog.Image) error {
		if e, err = m.Lookup(ctx, name); errors.Is(err, catalog.ErrNotFound) {
			return NotInSnapshot(ctx, m, name)
		}
		return err
	})
	return e, err
}

// NotInSnapshot returns the error of a name that a snapshot does not have, with names like it that
// it has.
func NotInSnapshot(ctx context.Context, m *catalog.Image, name string) error {
	missing := &catalog.NotFoundError{Name: name + "@" + m.Snapshot().Name}
	err := m.View(ctx, func(c *catalog.Tx) error {
		near, err := c.Nearest(name, suggestions)
		for _, n := range near {
			missing.Near = append(missing.Near, n+"@"+m.Snapshot().Name)
		}
		return err
	})
	if err != nil {
		return err
	}
	return missing
}

// suggestions is how many similar names an error carries.
const suggestions = 3
