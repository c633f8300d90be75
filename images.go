package tstore

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

// images keeps the snapshots used last open, mapped once each.
type images struct {
	mu struct {
		sync.Mutex
		byID   map[catalog.ID]*image
		closed bool
	}
}

// image is an open snapshot and how many use it now.
type image struct {
	*catalog.Image
	users int
}

// image opens a snapshot, or finds it open. The caller gives it back.
func (s *engineStore) image(snap catalog.Snapshot) (*image, error) {
	im := &s.images
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.mu.closed {
		return nil, s.closedError()
	}
	m := im.mu.byID[snap.ID]
	if m == nil {
		opened, err := s.cat.OpenImage(snap)
		if err != nil {
			return nil, err
		}
		m = &image{Image: opened}
		if im.mu.byID == nil {
			im.mu.byID = map[catalog.ID]*image{}
		}
		im.mu.byID[snap.ID] = m
	}
	m.users++
	return m, nil
}

// add makes an image that was opened elsewhere one of those that are open. It is in
// use until it is released.
func (im *images) add(id catalog.ID, opened *catalog.Image) (*image, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	if im.mu.closed {
		return nil, errors.Join(mmapstore.ErrClosed, opened.Close())
	}
	if im.mu.byID == nil {
		im.mu.byID = map[catalog.ID]*image{}
	}
	m := &image{Image: opened, users: 1}
	im.mu.byID[id] = m
	return m, nil
}

// release ends one use of a snapshot, and closes one that nobody uses if there
// are too many.
func (im *images) release(m *image) error {
	im.mu.Lock()
	defer im.mu.Unlock()
	m.users--
	if m.users == 0 && im.mu.closed {
		return m.Close()
	}
	if len(im.mu.byID) <= maxImages {
		return nil
	}
	for id, other := range im.mu.byID {
		if other.users == 0 {
			delete(im.mu.byID, id)
			return other.Close()
		}
	}
	return nil
}

// drop releases a snapshot that does not stay open.
func (im *images) drop(m *image) error { return errors.Join(im.release(m), im.forget(m.Snapshot().ID)) }

// forget closes a snapshot that has been removed, unless it is in use.
func (im *images) forget(id catalog.ID) error {
	im.mu.Lock()
	defer im.mu.Unlock()
	m := im.mu.byID[id]
	if m == nil || m.users > 0 {
		return nil
	}
	delete(im.mu.byID, id)
	return m.Close()
}

// len is how many snapshots are open.
func (im *images) len() int {
	im.mu.Lock()
	defer im.mu.Unlock()
	return len(im.mu.byID)
}

// close closes those that nobody uses; the others go with their last use.
func (im *images) close() error {
	im.mu.Lock()
	defer im.mu.Unlock()
	im.mu.closed = true
	var errs []error
	for _, m := range im.mu.byID {
		if m.users == 0 {
			errs = append(errs, m.Close())
		}
	}
	im.mu.byID = nil
	return errors.Join(errs...)
}

// withImage runs fn on an open snapshot.
func (s *engineStore) withImage(snap catalog.Snapshot, fn func(*catalog.Image) error) error {
	m, err := s.image(snap)
	if err != nil {
		return err
	}
	return errors.Join(fn(m.Image), s.images.release(m))
}

// withImageOnce is withImage for who reads all snapshots, one after the other. The snapshot does not stay open: the
// memory that mapped catalogs take would grow with their number.
func (s *engineStore) withImageOnce(snap catalog.Snapshot, fn func(*catalog.Image) error) error {
	m, err := s.image(snap)
	if err != nil {
		return err
	}
	return errors.Join(fn(m.Image), s.images.drop(m))
}

// imageWalk goes through snapshots. Each is seen beside the one before, with which it shares most of its records.
type imageWalk struct {
	store  *engineStore
	before *image
}

// view runs fn on the catalog of a snapshot, and on the one that was viewed last, nil if there is none. An error means
// that the snapshot can't be read: then the next one is not seen beside it.
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
		return errors.Join(err, w.store.images.drop(m))
	}
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
	return w.store.images.drop(w.before)
}

// snapshotNamed looks a snapshot up.
func (s *engineStore) snapshotNamed(ctx context.Context, name string) (snap catalog.Snapshot, err error) {
	if err := s.checkOpen(); err != nil {
		return snap, err
	}
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
		snap, err = c.Snapshot(name)
		return err
	})
	if errors.Is(err, catalog.ErrNotFound) {
		err = fmt.Errorf("%w: tstore snapshot ls lists those that there are", err)
	}
	return snap, err
}

// viewSnapshot runs fn on the catalog of a snapshot.
func (s *engineStore) viewSnapshot(ctx context.Context, name string, fn func(*catalog.Tx) error) error {
	snap, err := s.snapshotNamed(ctx, name)
	if err != nil {
		return err
	}
	return s.withImage(snap, func(m *catalog.Image) error { return m.View(ctx, fn) })
}

// entryAt is what a name stood for when a snapshot was made.
func (s *engineStore) entryAt(ctx context.Context, name, snapshot string) (e *catalog.Entry, err error) {
	snap, err := s.snapshotNamed(ctx, snapshot)
	if err != nil {
		return nil, err
	}
	err = s.withImage(snap, func(m *catalog.Image) error {
		if e, err = m.Lookup(ctx, name); errors.Is(err, catalog.ErrNotFound) {
			return notInSnapshot(ctx, m, name)
		}
		return err
	})
	return e, err
}

// notInSnapshot is the error of a name that a snapshot does not have, with names
// like it that it has.
func notInSnapshot(ctx context.Context, m *catalog.Image, name string) error {
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
