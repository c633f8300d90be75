package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
)

// removal collects names to delete, and reckons how much space that frees.
type removal struct {
	store *tstore.Store
	// names are those collected, each once, in order.
	names   []string
	seen    map[string]bool
	sharing map[catalog.ID]*sharing
}

// sharing counts the names of one storage that are to go.
type sharing struct {
	storage catalog.Storage
	going   int64
}

func newRemoval(s *tstore.Store) *removal {
	return &removal{store: s, seen: map[string]bool{}, sharing: map[catalog.ID]*sharing{}}
}

// add adds a name or, if recursive is set, all names of a group.
func (r *removal) add(ctx context.Context, name string, recursive bool) error {
	if err := catalog.CheckName(name); err != nil {
		return err
	}

	e, err := r.store.Lookup(ctx, name)
	if err == nil {
		r.addEntry(e)
		return nil
	}
	if !errors.Is(err, tstore.ErrNotFound) {
		return err
	}

	members, err := groupMembers(ctx, r.store, name)
	switch {
	case err != nil:
		return err
	case len(members) == 0:
		return notFound(ctx, r.store, name)
	case !recursive:
		return fmt.Errorf("%q is a group of %s: -r takes it with all that is in it", name, plural(len(members), "name"))
	}

	for _, member := range members {
		e, err := r.store.Lookup(ctx, member)
		if err != nil {
			return err
		}
		r.addEntry(e)
	}

	return nil
}

// groupMembers returns the names in a group and in the groups in it; none when there is no such
// group.
func groupMembers(ctx context.Context, s *tstore.Store, group string) ([]string, error) {
	var names []string
	for item, err := range s.List(ctx, &tstore.ListOptions{Group: group, Recursive: true}) {
		if err != nil {
			return nil, err
		}
		names = append(names, item.Name)
	}
	return names, nil
}

func (r *removal) addEntry(e *catalog.Entry) {
	if r.seen[e.Record.Name] {
		return
	}
	r.seen[e.Record.Name] = true
	r.names = append(r.names, e.Record.Name)
	if e.Record.Kind != catalog.KindTensor {
		return
	}
	sh := r.sharing[e.Storage.ID]
	if sh == nil {
		sh = &sharing{storage: e.Storage}
		r.sharing[e.Storage.ID] = sh
	}
	sh.going++
}

// freed returns the bytes on disk of the files that no remaining name and no snapshot needs.
func (r *removal) freed(ctx context.Context) (int64, error) {
	var n int64
	for _, sh := range r.sharing {
		if sh.going != sh.storage.Refs || sh.storage.Adopted {
			continue
		}
		held, err := r.store.IsHeld(ctx, sh.storage)
		if err != nil {
			return 0, err
		}
		if !held {
			n += bytesOnDisk(r.store, sh.storage)
		}
	}
	return n, nil
}

// bytesOnDisk returns how many bytes of the disk a storage's file takes; 0 if the file is missing.
func bytesOnDisk(s *tstore.Store, st catalog.Storage) int64 {
	fi, err := os.Stat(dataFile(s, st))
	if err != nil {
		return 0
	}
	if n := fsx.Allocated(fi); n >= 0 {
		return n
	}
	return fi.Size()
}

// notFound returns the error for a missing name. It suggests names that exist.
func notFound(ctx context.Context, s *tstore.Store, name string) error {
	near, err := s.Suggest(ctx, name, nearestShown)
	if err != nil {
		return err
	}
	return &catalog.NotFoundError{Name: name, Near: near}
}
