package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// lsFlags are the flags of ls.
type lsFlags struct {
	long, recursive, human, json bool
}

func newLs(a *app) *cobra.Command {
	var f lsFlags
	cmd := &cobra.Command{
		Use:   "ls [NAME[@SNAPSHOT]|PATTERN]...",
		Short: "List tensors, blobs and groups",
		Long: `List what a group holds, or the root of the store, by full names in their order.
Groups end in a slash. A tensor or a blob lists itself, and a pattern what it matches.
With @SNAPSHOT, list what
a snapshot holds.`,
		Example: `  tstore ls
  tstore ls -lh weather
  tstore ls -r --json
  tstore ls weather@monday
  tstore ls -l '*/t2m_2024*'`,
		GroupID: groupLook,
		RunE: func(cmd *cobra.Command, args []string) error {
			words := make([]string, max(1, len(args)))
			for i, arg := range args {
				words[i] = strings.TrimSuffix(arg, "/")
			}
			if len(args) > 0 {
				a.words = words
			}
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				return a.list(cmd.Context(), s, words, f)
			})
		},
	}

	flags := cmd.Flags()
	flags.BoolVarP(&f.long, "long", "l", false, "also dtype, shape and bytes")
	flags.BoolVarP(&f.recursive, "recursive", "r", false, "the contents of groups instead of the groups")
	flags.BoolVarP(&f.human, "human", "h", false, "with --long: bytes in KiB, MiB, …")
	flags.BoolVar(&f.json, "json", false, "print one JSON object a line")
	flags.Bool("help", false, "help for ls")
	return cmd
}

// list prints what words name: groups, single tensors and blobs, and what patterns match.
func (a *app) list(ctx context.Context, s *tstore.Store, words []string, f lsFlags) error {
	t := table{right: map[int]bool{2: true}}
	show := a.itemPrinter(f, &t)
	for _, word := range words {
		if err := listWord(ctx, s, word, f, show); err != nil {
			return err
		}
	}
	return t.write(a.stdout)
}

// listWord shows a group, the one tensor or blob of that name, or what a pattern matches.
func listWord(ctx context.Context, s *tstore.Store, name string, f lsFlags, show func(catalog.Item) error) error {
	n := 0

	group, snapshot, _ := strings.Cut(name, "@")
	o := &tstore.ListOptions{Group: group, Recursive: f.recursive, Snapshot: snapshot}
	pat, isPattern := parsePattern(name)
	if isPattern && pat.index == "" {
		o.Group, o.Match = "", pat.match
	}
	for item, err := range s.List(ctx, o) {
		if err != nil {
			return err
		}
		if err := show(item); err != nil {
			return err
		}
		n++
	}

	if n == 0 && o.Match != "" {
		return fmt.Errorf("no name matches %q", name)
	}

	// A name that lists nothing is not a group: it may be a tensor or a blob.
	if n == 0 && group != "" {
		e, err := s.Lookup(ctx, name)
		if err != nil {
			return err
		}
		return show(catalog.Item{Name: group, Record: e.Record})
	}
	return nil
}

// itemPrinter returns the function that prints one item, or puts it into the table.
func (a *app) itemPrinter(f lsFlags, t *table) func(catalog.Item) error {
	switch {
	case f.json:
		return func(item catalog.Item) error {
			v, err := describeItem(item)
			return errors.Join(err, writeJSON(a.stdout, v))
		}
	case f.long:
		return func(item catalog.Item) error {
			t.add(a.longRow(item, f.human)...)
			return nil
		}
	}

	return func(item catalog.Item) error {
		_, err := fmt.Fprintln(a.stdout, a.name(displayName(item)))
		return err
	}
}

func describeItem(item catalog.Item) (any, error) {
	switch {
	case item.IsGroup:
		return groupJSON{Name: item.Name, Kind: "group"}, nil
	case item.Record.Kind == catalog.KindBlob:
		return describeBlob(item.Record), nil
	case item.Record.Kind == catalog.KindLazy:
		return describeLazy(item.Record), nil
	}
	l, err := recordLayout(item.Record)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", item.Name, err)
	}
	return describeRecord(item.Record, item.Record.DType, l), nil
}

func displayName(item catalog.Item) string {
	if item.IsGroup {
		return item.Name + "/"
	}
	return item.Name
}

// longRow returns the cells of an item: dtype, shape, bytes and name.
func (a *app) longRow(item catalog.Item, human bool) []string {
	r := item.Record
	name := a.name(displayName(item))
	switch {
	case item.IsGroup:
		return []string{"group", "", "", name}
	case r.Kind == catalog.KindBlob:
		return []string{"blob " + r.Blob.Kind().String(), "", "", name}
	case r.Kind == catalog.KindLazy:
		return []string{"lazy " + r.DType.String(), formatTuple(r.Shape), "", name + "  (= " + printable(r.Formula.Text) + ")"}
	case r.Parent != "":
		name += "  (view of " + a.name(r.Parent) + ")"
	}
	return []string{r.DType.String(), formatTuple(r.Shape), recordBytes(r, human), name}
}

func recordBytes(r catalog.Record, human bool) string {
	n := int64(r.DType.Size())
	for _, size := range r.Shape {
		n *= size
	}
	if human {
		return humanBytes(n)
	}
	return strconv.FormatInt(n, 10)
}
