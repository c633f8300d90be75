package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// compare says how a store differs from what it should be. seen is told of each tensor that it
// shows.
func compare(ctx context.Context, s *tstore.Store, want *state, snap string, seen func(name string, info *tstore.Info, v value) error) error {
	var names []string
	for item, err := range s.List(ctx, &tstore.ListOptions{Recursive: true, Snapshot: snap}) {
		if err != nil {
			return fmt.Errorf("list: %w", err)
		}
		names = append(names, item.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, want.sorted()) {
		return fmt.Errorf("there are the names %v, expected %v", names, want.sorted())
	}
	for _, name := range names {
		if err := compareName(ctx, s, want, name, snap, seen); err != nil {
			return fmt.Errorf("%s: %w", at(name, snap), err)
		}
	}
	return nil
}

func at(name, snap string) string {
	if snap == "" {
		return name
	}
	return name + "@" + snap
}

func compareName(ctx context.Context, s *tstore.Store, want *state, name, snap string, seen func(string, *tstore.Info, value) error) error {
	o := want.names[name]
	e, err := s.Lookup(ctx, at(name, snap))
	if err != nil {
		return err
	}
	if e.Record.Kind != o.kind {
		return fmt.Errorf("it is a %v, expected a %v", e.Record.Kind, o.kind)
	}
	attrs := map[string]int64{}
	for k, v := range e.Record.Attrs {
		attrs[k], _ = v.Int()
	}
	if !maps.Equal(attrs, o.attrs) {
		return fmt.Errorf("attributes %v, expected %v", attrs, o.attrs)
	}
	if o.kind == catalog.KindBlob {
		if got, _ := e.Record.Blob.Int(); got != o.blob {
			return fmt.Errorf("it is %v, expected %v", got, o.blob)
		}
		return nil
	}
	v, fault := want.look(name)
	open := s.Get
	if o.kind == catalog.KindLazy {
		open, seen = s.Evaluate, nil
	}
	return compareElements(ctx, open, at(name, snap), v, fault, seen)
}

func compareElements(ctx context.Context, open func(context.Context, string) (*tstore.Tensor, error), name string, want value, fault error, seen func(string, *tstore.Info, value) error) error {
	t, err := open(ctx, name)
	var got value
	if err == nil {
		defer t.Close()
		got, err = read(t.Tensor)
	}
	switch {
	case fault != nil && err == nil:
		return fmt.Errorf("it can be read, expected: %v", fault)
	case fault != nil:
		return nil
	case err != nil:
		return err
	case !got.equal(want):
		return fmt.Errorf("it is %v, expected %v", got, want)
	case seen != nil:
		return seen(name, t.Info, got)
	}
	return nil
}

// compareSnapshots says how the snapshots of a store differ from what they should be.
func compareSnapshots(ctx context.Context, s *tstore.Store, want map[string]*state) error {
	snaps, err := s.Snapshots(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, snap := range snaps {
		names = append(names, snap.Name)
	}
	slices.Sort(names)
	if expected := slices.Sorted(maps.Keys(want)); !slices.Equal(names, expected) {
		return fmt.Errorf("there are the snapshots %v, expected %v", names, expected)
	}
	for _, name := range names {
		if err := compare(ctx, s, want[name], name, nil); err != nil {
			return err
		}
	}
	return nil
}

// sound says what Check and Verify find that is no harmless leftover.
func sound(ctx context.Context, s *tstore.Store) error {
	problems, err := s.Check(ctx)
	if err != nil {
		return err
	}
	r, err := s.Verify(ctx, nil)
	if err != nil {
		return err
	}
	var errs []error
	for _, p := range problems {
		if !p.Harmless && p.Kind != tstore.ProblemChanged {
			errs = append(errs, fmt.Errorf("%s %v %s: %s", p.Kind, p.Names, p.File, p.Detail))
		}
	}
	for _, d := range r.Damage {
		if !errors.Is(d.Err, tstore.ErrChanged) {
			errs = append(errs, fmt.Errorf("%s: %w", d.File, d.Err))
		}
	}
	return errors.Join(errs...)
}
