package store

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
)

// A pattern is a name with wildcards: "*" stands for any characters of one part of a name, "?" for
// one character.
const wildcards = "*?"

// checkPattern returns ErrBadName if no name can match a pattern.
func checkPattern(pattern string) error {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(wildcards, r) {
			return 'x'
		}
		return r
	}, pattern)
	if err := catalog.CheckName(plain); err != nil {
		return fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return nil
}

// match calls yield with what a pattern matches, in the order of the names, and lists only groups
// that can hold such names. It returns false once yield does.
func (s *Store) match(ctx context.Context, o ListOptions, yield func(catalog.Item, error) bool) bool {
	part, rest, more := strings.Cut(o.Match, "/")
	inner := o
	inner.Match = ""

	// A part without wildcards is known without a listing of the group.
	if more && !strings.ContainsAny(part, wildcards) {
		inner.Group, inner.Match = path.Join(o.Group, part), rest
		return s.match(ctx, inner, yield)
	}

	for item, err := range s.listed(ctx, ListOptions{Group: o.Group, Snapshot: o.Snapshot}) {
		if err != nil {
			yield(item, err)
			return false
		}
		if ok, _ := path.Match(part, path.Base(item.Name)); !ok {
			continue
		}

		goOn := true
		switch inner.Group = item.Name; {
		case more && item.IsGroup:
			inner.Match = rest
			goOn = s.match(ctx, inner, yield)
		case more:
		case item.IsGroup && o.Recursive:
			goOn = s.pass(ctx, inner, yield)
		case isBehind(item.Name, o.After):
			goOn = yield(item, nil)
		}
		if !goOn {
			return false
		}
	}
	return true
}

// pass calls yield with what a group holds behind o.After.
func (s *Store) pass(ctx context.Context, o ListOptions, yield func(catalog.Item, error) bool) bool {
	for item, err := range s.listed(ctx, ListOptions{Group: o.Group, Recursive: true, Snapshot: o.Snapshot}) {
		if (err != nil || isBehind(item.Name, o.After)) && !yield(item, err) || err != nil {
			return false
		}
	}
	return true
}

// isBehind reports whether a name stands behind another in the order of listings, which compares
// part by part.
func isBehind(name, after string) bool {
	return slices.Compare(strings.Split(name, "/"), strings.Split(after, "/")) > 0
}
