package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// Selector names a tensor, or what a chain of operations makes of it: "weather/t2m",
// "weather/t2m[0:10, ::-1]", "x.T.reshape(4, -1)".
type Selector struct {
	Name     string
	Snapshot string
	Chain    view.Chain
}

// ParseSelector reads a selector.
func ParseSelector(text string) (Selector, error) {
	name, methods := view.CutMethods(text)
	return parseCut(name, methods)
}

// parseCut reads a selector that is cut into a name and methods.
func parseCut(name, methods string) (Selector, error) {
	sel, err := ParseSource(name)
	if methods == "" || err != nil {
		return sel, err
	}
	if sel.Chain, err = view.ParseMethods(methods); err != nil {
		return Selector{}, fmt.Errorf("selector %.200q: %w", name+methods, err)
	}
	return sel, nil
}

// ParseSource reads a name, or a name and a snapshot, "x@monday".
func ParseSource(text string) (Selector, error) {
	name, snapshot, at := strings.Cut(text, "@")
	if err := catalog.CheckName(name); err != nil {
		return Selector{}, err
	}
	if at {
		if err := catalog.CheckSnapshotName(snapshot); err != nil {
			return Selector{}, fmt.Errorf("snapshot of %.200q: %w", text, err)
		}
	}
	return Selector{Name: name, Snapshot: snapshot}, nil
}

// Source returns the selector without its operations.
func (s Selector) Source() string {
	if s.Snapshot == "" {
		return s.Name
	}
	return s.Name + "@" + s.Snapshot
}

// mustBeLive returns ErrReadOnly if the selector reads a snapshot.
func (s Selector) mustBeLive() error {
	if s.Snapshot == "" {
		return nil
	}
	return fmt.Errorf("%w: %q is in a snapshot, which never changes: restore it, or copy it", ErrReadOnly, s.Source())
}

// Whole is true when the selector is just a name.
func (s Selector) Whole() bool { return len(s.Chain) == 0 }

// String returns the text form, which ParseSelector reads back.
func (s Selector) String() string { return s.Source() + s.Chain.String() }

// IsSource reports whether a text can be a name, or a name and a snapshot.
func IsSource(text string) bool {
	if len(text) > 2*catalog.MaxNameBytes {
		return false // said quickly, as a long text may be asked about once for each of its dots
	}
	_, err := ParseSource(text)
	return err == nil
}

// resolve reads a selector. there reports whether a name exists: a name may end in words of
// operations, and the longest one that exists is meant.
func resolve(text string, there func(name string) (bool, error)) (Selector, error) {
	shortest, methods := view.CutMethods(text)
	for name, rest := range syntax.Cuts(text) {
		if len(name) <= len(shortest) {
			break
		}
		if !IsSource(name) {
			continue
		}
		ok, err := there(name)
		if err != nil {
			return Selector{}, err
		}
		if ok {
			return parseCut(name, rest)
		}
	}
	return parseCut(shortest, methods)
}

// Resolve reads a selector with the names of the store.
func (s *Store) Resolve(ctx context.Context, text string) (Selector, error) {
	if err := s.Engine.CheckOpen(); err != nil {
		return Selector{}, err
	}
	return resolve(text, func(name string) (bool, error) {
		_, err := s.EntryOf(ctx, name)
		return Found(err)
	})
}

// resolveLive reads the selector of a tensor that is to be changed.
func (s *Store) resolveLive(ctx context.Context, text string) (Selector, error) {
	sel, err := s.resolveTarget(ctx, text)
	if err != nil {
		return sel, err
	}
	return sel, sel.mustBeLive()
}

// resolveTarget reads a selector of what is to be changed, which may be alive or not. The items of
// its last index may be expressions, which stand in quotes then, as names can.
func (s *Store) resolveTarget(ctx context.Context, text string) (Selector, error) {
	sel, err := s.Resolve(ctx, text)
	if err == nil {
		return sel, nil
	}
	if quoted := quoteItems(text); quoted != text {
		return s.Resolve(ctx, quoted)
	}
	return sel, s.notWritten(ctx, text, err)
}

// EntryOf returns the entry of "x", or of "x@monday".
func (s *Store) EntryOf(ctx context.Context, source string) (*catalog.Entry, error) {
	if strings.IndexByte(source, '@') < 0 {
		return s.Entry(ctx, source)
	}
	sel, err := ParseSource(source)
	if err != nil {
		return nil, err
	}
	return s.SelectedEntry(ctx, sel)
}

// SelectedEntry returns the entry of the name of a selector.
func (s *Store) SelectedEntry(ctx context.Context, sel Selector) (*catalog.Entry, error) {
	if sel.Snapshot == "" {
		return s.Entry(ctx, sel.Name)
	}
	return s.Engine.EntryAt(ctx, sel.Name, sel.Snapshot)
}

// Found turns ErrNotFound into false, and returns other errors.
func Found(err error) (bool, error) {
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
