package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tstore/tstore"
)

// copyFrom copies what words stand for in another store: under the names that it has there, or into
// a group behind them.
func (a *app) copyFrom(ctx context.Context, words []string, f copyFlags) error {
	if f.dryRun {
		return errors.New("--dry-run does not say what --from would write")
	}
	dir := storeIn(f.from)

	group := ""
	if last := words[len(words)-1]; len(words) > 1 && strings.HasSuffix(last, "/") {
		group, words = last, words[:len(words)-1]
	}
	names, inner, err := a.namesThere(ctx, dir, words, group, f.recursive)
	if err != nil {
		return err
	}

	o := &tstore.CopyFromOptions{Overwrite: f.overwrite}
	if group != "" {
		o.Rename = func(name string) string { return group + inner[name] }
	}
	return a.changing(ctx, func(s *tstore.Store) error {
		n, err := s.CopyFrom(ctx, dir, names, o)
		if err != nil {
			return orOverwrite(err, f.overwrite)
		}
		a.note("copied %s from %s", plural(n, "name"), printable(f.from))
		return nil
	})
}

// namesThere returns the names that words stand for in another store, and what each is called in a
// group that takes it, if there is one. No two become one.
func (a *app) namesThere(ctx context.Context, dir string, words []string, group string, recursive bool) (names []string, inner map[string]string, err error) {
	from, err := tstore.Open(ctx, dir, a.storeOptions(true))
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()

	p := picker{app: a, store: from, recursive: recursive}
	picks, err := p.pick(ctx, words)
	if err != nil {
		return nil, nil, err
	}

	inner = map[string]string{}
	copies := make([]string, len(picks))
	for i, one := range picks {
		if !isSource(one.text) {
			return nil, nil, fmt.Errorf("%s: --from copies names, and no parts of them: copy the name, and then the part", printable(one.text))
		}
		e, err := from.Lookup(ctx, one.text)
		if errors.Is(err, tstore.ErrNotFound) && !recursive {
			err = fmt.Errorf("in %s: %w (-r takes a group with all that is in it, and GROUP/ behind the names is where copies go)", printable(dir), err)
		}
		if err != nil {
			return nil, nil, err
		}
		inner[e.Record.Name] = one.inner
		names = append(names, one.text)
		copies[i] = e.Record.Name
		if group != "" {
			copies[i] = group + one.inner
		}
	}
	return names, inner, oneEach(picks, copies)
}
