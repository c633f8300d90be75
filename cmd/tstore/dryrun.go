package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tstore/tstore"
)

// wouldWrite prints what the command would do: make a new tensor, or replace one. For a name that
// can't be given it returns the error that the real command ends with.
func (a *app) wouldWrite(ctx context.Context, s *tstore.Store, name string, written int64, overwrite bool) error {
	taken, err := checkFree(ctx, s, name)
	if err != nil {
		return fmt.Errorf("create %q: %w", name, err)
	}

	if !taken {
		_, err := fmt.Fprintf(a.stdout, "would create %q: writes %s\n", name, formatBytes(written))
		return err
	}

	if !overwrite {
		return orOverwrite(fmt.Errorf("create %q: %w", name, tstore.ErrExists), overwrite)
	}

	if _, err := s.Stat(ctx, name); err != nil {
		return fmt.Errorf("replace %q: %w", name, err)
	}

	r := newRemoval(s)
	if err := r.add(ctx, name, false); err != nil {
		return err
	}
	freed, err := r.freed(ctx)
	if err != nil {
		return err
	}

	_, err = fmt.Fprintf(a.stdout, "would replace %q: writes %s, frees %s\n", name, formatBytes(written), formatBytes(freed))
	return err
}

// checkFree reports whether a tensor has the name. It returns an error if a group has the name, or
// if a part of the name is a tensor or a blob.
func checkFree(ctx context.Context, s *tstore.Store, name string) (taken bool, err error) {
	taken, err = exists(ctx, s, name)
	if taken || err != nil {
		return taken, err
	}

	// No part of the name may be a tensor or a blob: look from the nearest group outwards.
	for i := strings.LastIndexByte(name, '/'); i > 0; i = strings.LastIndexByte(name[:i], '/') {
		switch inWay, err := exists(ctx, s, name[:i]); {
		case err != nil:
			return false, err
		case inWay:
			return false, fmt.Errorf("%q is no group", name[:i])
		}
	}

	// What is listed under the name makes it a group.
	for _, err := range s.List(ctx, &tstore.ListOptions{Group: name}) {
		if err == nil {
			err = fmt.Errorf("it is a group: %w", tstore.ErrExists)
		}
		return false, err
	}
	return false, nil
}

// exists reports whether a tensor or a blob has the name.
func exists(ctx context.Context, s *tstore.Store, name string) (bool, error) {
	_, err := s.Lookup(ctx, name)
	if errors.Is(err, tstore.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// wouldChange prints what changing the elements of a part of a tensor does. target is what
// StatTarget says of it.
func (a *app) wouldChange(ctx context.Context, s *tstore.Store, sel string, target *tstore.Info) error {
	info, err := s.StatEvaluated(ctx, sel)
	if err != nil {
		return err
	}
	cost := target.ChangeCost()
	_, err = fmt.Fprintf(a.stdout, "would change %s of %s, shared by %s: writes %s, frees %s\n",
		plural(info.Layout.NumElems(), "element"), printable(sel), plural(int(target.Storage.Refs), "name"),
		formatBytes(cost.Written), formatBytes(cost.Freed))
	return err
}

// orOverwrite adds to the error of a name that is taken what replaces what has it.
func orOverwrite(err error, overwrite bool) error {
	if errors.Is(err, tstore.ErrExists) && !overwrite {
		return fmt.Errorf("%w (--overwrite replaces it)", err)
	}
	return err
}
