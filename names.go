package tstore

import (
	"context"
	"iter"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/store"
)

// ListOptions choose what List yields. Nil lists the root group.
type ListOptions struct {
	// Group is the group to list; empty is the root.
	Group string
	// After starts behind that name, for paging: pass the last name seen.
	After string
	// Recursive yields the contents of groups instead of the groups.
	Recursive bool
	// Snapshot lists what a snapshot holds, instead of the store as it is.
	Snapshot string
	// Match, where it is set, is a pattern, such as "t2m_*" or "*/t2m", of the names in Group, less
	// the group. List yields what it matches: "*" stands for any characters of one part of a name,
	// "?" for one character. With Recursive, a group that matches yields what it holds.
	Match string
}

// List yields the tensors, blobs and groups of a group in the order of their names. No lock is held
// between pages, so that a long listing sees changes that are made meanwhile. An error ends it.
func (s *Store) List(ctx context.Context, o *ListOptions) iter.Seq2[catalog.Item, error] {
	return s.store.List(ctx, (*store.ListOptions)(o))
}

// Suggest returns up to n names that look like one that was not found.
func (s *Store) Suggest(ctx context.Context, name string, n int) ([]string, error) {
	return s.store.Suggest(ctx, name, n)
}

// View names the part of a tensor that sel selects. It writes no elements and takes the time of one
// catalog transaction. It returns view.ErrNeedsCopy for what is computed, since that is no view.
func (s *Store) View(ctx context.Context, name, sel string) error {
	return s.store.View(ctx, name, sel)
}

// Rename gives a tensor, a blob or a whole group another name.
func (s *Store) Rename(ctx context.Context, from, to string) error {
	return s.store.Rename(ctx, from, to)
}

// Delete removes tensors and blobs, all or none. Elements go when no name shares them; tensors that
// are open keep them until they are closed.
func (s *Store) Delete(ctx context.Context, names ...string) error {
	return s.store.Delete(ctx, names...)
}

// Attrs returns the attributes of a tensor or a blob. Don't change the map.
func (s *Store) Attrs(ctx context.Context, name string) (map[string]catalog.Value, error) {
	return s.store.Attrs(ctx, name)
}

// SetAttr sets one attribute.
func (s *Store) SetAttr(ctx context.Context, name, key string, v catalog.Value) error {
	return s.store.SetAttr(ctx, name, key, v)
}

// DeleteAttr removes one attribute.
func (s *Store) DeleteAttr(ctx context.Context, name, key string) error {
	return s.store.DeleteAttr(ctx, name, key)
}

// PutBlob stores a small typed value under a name.
func (s *Store) PutBlob(ctx context.Context, name string, v catalog.Value) error {
	return s.store.PutBlob(ctx, name, v)
}

// Blob returns the value of a blob. It returns ErrWrongKind if the name is of another kind.
func (s *Store) Blob(ctx context.Context, name string) (catalog.Value, error) {
	return s.store.Blob(ctx, name)
}

// Lookup returns the catalog's entry of a name of any kind, or of a name in a snapshot, "x@monday".
// The entry is shared: don't change it.
func (s *Store) Lookup(ctx context.Context, name string) (*catalog.Entry, error) {
	return s.store.Lookup(ctx, name)
}

// Sharers returns up to limit names of the tensors that share the storage of a tensor, its own
// among them; of one in a snapshot, those in the snapshot.
func (s *Store) Sharers(ctx context.Context, name string, limit int) ([]string, error) {
	return s.store.Sharers(ctx, name, limit)
}
