package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// attrsJSON is all attributes of a name.
type attrsJSON struct {
	Name  string         `json:"name"`
	Attrs map[string]any `json:"attrs"`
}

// attrJSON is one attribute.
type attrJSON struct {
	Name  string `json:"name"`
	Key   string `json:"key"`
	Type  string `json:"type"`
	Value any    `json:"value"`
}

// attrFlags are the flags of attr.
type attrFlags struct {
	typeName                string
	delete, json, recursive bool
}

func newAttr(a *app) *cobra.Command {
	var f attrFlags
	cmd := &cobra.Command{
		Use:   "attr NAME|PATTERN [KEY [VALUE]]",
		Short: "List, print, set or delete attributes",
		Long: `List the attributes of a tensor or a blob, print one, or set one. A value has the
type that it looks like (true, 12, 1.5, {"a":1}, hex:00ff, otherwise a string)
unless --type names another. Of several names, an attribute is set or deleted of all in one
transaction, and printed of those that have it.`,
		Example: `  tstore attr weather/t2m
  tstore attr weather/t2m units K
  tstore attr weather/t2m station 007 --type string
  tstore attr weather/t2m units --delete
  tstore attr 'weather/t2m_*' units K`,
		GroupID: groupChange,
		Args:    cobra.RangeArgs(1, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(args); err != nil {
				return err
			}
			return a.attr(cmd.Context(), args, f)
		},
	}

	flags := cmd.Flags()
	flags.StringVar(&f.typeName, "type", "", "`type` of VALUE: string, int, float, bool, bytes (hex digits) or json")
	flags.BoolVar(&f.delete, "delete", false, "delete the attribute KEY")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	registerRecursive(flags, &f.recursive)

	return cmd
}

func (f attrFlags) check(args []string) error {
	switch {
	case f.delete && len(args) != 2:
		return errors.New("--delete needs NAME and KEY, and no VALUE")
	case f.typeName != "" && len(args) != 3:
		return errors.New("--type is the type of a VALUE to set, and there is none")
	case f.json && (f.delete || len(args) == 3):
		return errors.New("--json is for printing attributes")
	}
	return nil
}

func (a *app) attr(ctx context.Context, args []string, f attrFlags) error {
	switch {
	case f.delete:
		return a.changeAttrs(ctx, args[0], args[1], f, func(tx *tstore.Tx, name string) error { return tx.DeleteAttr(name, args[1]) })
	case len(args) == 3:
		v, err := parseValue(f.typeName, args[2])
		if err != nil {
			return fmt.Errorf("attribute %q: %w", args[1], err)
		}
		return a.changeAttrs(ctx, args[0], "", f, func(tx *tstore.Tx, name string) error { return tx.SetAttr(name, args[1], v) })
	}
	key := ""
	if len(args) == 2 {
		key = args[1]
	}
	return a.reading(ctx, func(s *tstore.Store) error { return a.showAttrs(ctx, s, args[0], key, f) })
}

// attrNames returns the names that a word stands for. With a key they have that attribute: one name
// that lacks it is an error, and of several those that lack it are left out.
func (a *app) attrNames(ctx context.Context, s *tstore.Store, word, key string, recursive bool) ([]string, error) {
	p := picker{app: a, store: s, recursive: recursive}
	picks, err := p.pick(ctx, []string{word})
	if err != nil || key == "" {
		return texts(picks), err
	}
	if len(picks) == 1 {
		_, err := findAttr(ctx, s, picks[0].text, key)
		return texts(picks), err
	}

	having := slices.DeleteFunc(slices.Clone(picks), func(one pick) bool {
		_, ok := one.item.Record.Attrs[key]
		return !ok
	})
	if len(having) == 0 {
		return nil, fmt.Errorf("none of the %d names has an attribute %q", len(picks), key)
	}
	return texts(having), nil
}

// changeAttrs changes attributes of the names that a word stands for, in one transaction.
func (a *app) changeAttrs(ctx context.Context, word, key string, f attrFlags, change func(tx *tstore.Tx, name string) error) error {
	return a.changing(ctx, func(s *tstore.Store) error {
		names, err := a.attrNames(ctx, s, word, key, f.recursive)
		if err != nil {
			return err
		}
		return s.Update(ctx, func(tx *tstore.Tx) error {
			for _, name := range names {
				if err := change(tx, name); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// showAttrs prints all attributes, or that of a key, of the names that a word stands for.
func (a *app) showAttrs(ctx context.Context, s *tstore.Store, word, key string, f attrFlags) error {
	names, err := a.attrNames(ctx, s, word, key, f.recursive)
	if err != nil {
		return err
	}
	end := ":\n"
	if key != "" {
		end = ": "
	}

	for _, name := range names {
		if len(names) > 1 && !f.json {
			fmt.Fprint(a.stdout, a.name(name), end)
		}
		if key == "" {
			err = a.printAttrs(ctx, s, name, f.json)
		} else {
			err = a.printAttr(ctx, s, name, key, f.json)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// findAttr returns one attribute. If there is none of that name, the error lists those there are.
func findAttr(ctx context.Context, s *tstore.Store, name, key string) (catalog.Value, error) {
	attrs, err := s.Attrs(ctx, name)
	if err != nil {
		return catalog.Value{}, err
	}
	v, ok := attrs[key]
	if ok {
		return v, nil
	}
	if len(attrs) == 0 {
		return v, fmt.Errorf("%q has no attribute %q: it has none at all", name, key)
	}
	return v, fmt.Errorf("%q has no attribute %q: it has %s", name, key, strings.Join(quoteAll(sortedKeys(attrs)), ", "))
}

func (a *app) printAttrs(ctx context.Context, s *tstore.Store, name string, asJSON bool) error {
	attrs, err := s.Attrs(ctx, name)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(a.stdout, attrsJSON{Name: name, Attrs: jsonAttrs(attrs)})
	}
	t := &table{}
	for _, key := range sortedKeys(attrs) {
		t.add(printable(key), valueText(attrs[key]))
	}
	return t.write(a.stdout)
}

func (a *app) printAttr(ctx context.Context, s *tstore.Store, name, key string, asJSON bool) error {
	v, err := findAttr(ctx, s, name, key)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(a.stdout, attrJSON{Name: name, Key: key, Type: v.Kind().String(), Value: jsonValue(v)})
	}
	return a.printValue(v)
}
