package tstore

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/view"
)

// Selector names a tensor, or what a chain of operations makes of it:
// "weather/t2m", "weather/t2m[0:10, ::-1]", "x.T.reshape(4, -1)". The text of
// the operations is that of view.ParseMethods.
type Selector struct {
	Name  string
	Chain view.Chain
}

// ParseSelector reads a selector. Where a name ends in a word that is also an
// operation, as in "model.real", the operation is meant; methods of Store that
// take the text of a selector look for a tensor of the longer name first.
func ParseSelector(text string) (Selector, error) {
	name, methods := view.CutMethods(text)
	return parseReading(text, name, methods)
}

func parseReading(text, name, methods string) (Selector, error) {
	if open := strings.IndexByte(name, '('); open >= 0 {
		// A method that there isn't: the parser of methods says so.
		if dot := strings.LastIndexByte(name[:open], '.'); dot > 0 {
			name, methods = text[:dot], text[dot:]
		}
	}
	if err := catalog.CheckName(name); err != nil {
		return Selector{}, err
	}
	if methods == "" {
		return Selector{Name: name}, nil
	}
	chain, err := view.ParseMethods(methods)
	if err != nil {
		return Selector{}, fmt.Errorf("selector %.200q: %w", text, err)
	}
	return Selector{Name: name, Chain: chain}, nil
}

// Whole is true when the selector is just a name.
func (s Selector) Whole() bool { return len(s.Chain) == 0 }

// String is the text form, which ParseSelector reads back.
func (s Selector) String() string { return s.Name + s.Chain.String() }

// longerNames are the names that a tensor could have if names ended in words of
// operations, the longest first. Most texts have none.
func longerNames(text string) []string {
	name, methods := view.CutMethods(text)
	open := strings.IndexAny(methods, "[(")
	if open < 0 {
		open = len(methods)
	}
	var names []string
	for end := min(len(name)+open, catalog.MaxNameBytes); end > len(name); end-- {
		if end < len(text) && text[end] != '.' && text[end] != '[' {
			continue
		}
		if catalog.CheckName(text[:end]) == nil {
			names = append(names, text[:end])
		}
	}
	return names
}

// resolve reads a selector, given what says whether a name is there.
func resolve(text string, there func(name string) (bool, error)) (Selector, error) {
	for _, name := range longerNames(text) {
		ok, err := there(name)
		if err != nil {
			return Selector{}, err
		}
		if ok {
			return parseReading(text, name, text[len(name):])
		}
	}
	return ParseSelector(text)
}

// resolve reads a selector with the names of the store.
func (s *Store) resolve(ctx context.Context, text string) (Selector, error) {
	if err := s.checkOpen(); err != nil {
		return Selector{}, err
	}
	return resolve(text, func(name string) (bool, error) {
		_, err := s.entry(ctx, name)
		return found(err)
	})
}

// found tells a name that is not there from a lookup that failed.
func found(err error) (bool, error) {
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}
