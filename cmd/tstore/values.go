package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/tstore/tstore/catalog"
)

// valueText is an attribute or a blob on one line: strings as they are where that is safe,
// everything else as catalog.ParseValue reads it.
func valueText(v catalog.Value) string {
	if s, err := v.Text(); err == nil {
		return printable(s)
	}
	return printable(v.String())
}

// printValue prints one value: a string as it is, but for a person on one line.
func (a *app) printValue(v catalog.Value) error {
	text, err := v.Text()
	if err != nil || a.terminalOut {
		text = valueText(v)
	}
	_, err = fmt.Fprintln(a.stdout, text)
	return err
}

// parseValue reads a value that a person wrote: of the type that was named, or else of the type
// that it looks like.
func parseValue(typeName, text string) (catalog.Value, error) {
	if typeName == "" {
		return catalog.ParseValue(text)
	}
	kind, err := catalog.ParseValueKind(typeName)
	if err != nil {
		return catalog.Value{}, err
	}
	return catalog.ParseValueAs(kind, text)
}

// sortedKeys are the keys of a map in order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
