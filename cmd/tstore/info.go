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

// infoFlags are the flags of info.
type infoFlags struct {
	json, layout bool
}

func newInfo(a *app) *cobra.Command {
	var f infoFlags
	cmd := &cobra.Command{
		Use:   "info [SELECTOR...]",
		Short: "Describe tensors, blobs, groups or the store without reading elements",
		Long: `Describe tensors, parts of tensors, blobs and groups from the catalog alone.
Without a name, describe the store.`,
		Example: `  tstore info weather/t2m
  tstore info --layout 'weather/t2m[:, ::2]'
  tstore info --json`,
		GroupID: groupLook,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				if len(args) == 0 {
					return a.storeInfo(cmd.Context(), s, f.json)
				}
				for i, sel := range args {
					if i > 0 && !f.json {
						fmt.Fprintln(a.stdout)
					}
					if err := a.info(cmd.Context(), s, sel, f); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	cmd.Flags().BoolVar(&f.json, "json", false, "print one JSON object a line")
	cmd.Flags().BoolVar(&f.layout, "layout", false, "also how the elements lie in the file, and who shares it")
	return cmd
}

// info describes what one selector names.
func (a *app) info(ctx context.Context, s *tstore.Store, sel string, f infoFlags) error {
	sel = strings.TrimSuffix(sel, "/")
	whole := !strings.Contains(sel, "[")
	info, err := s.Stat(ctx, sel)
	switch {
	case whole && errors.Is(err, tstore.ErrWrongKind):
		return a.blobInfo(ctx, s, sel, f.json)
	case whole && errors.Is(err, tstore.ErrNotFound):
		return a.groupInfo(ctx, s, sel, f.json, err)
	case err != nil:
		return err
	}
	d := describeTensor(s, info)
	var place *placeJSON
	if f.layout {
		if place, err = describePlace(ctx, s, info); err != nil {
			return err
		}
	}
	if f.json {
		return writeJSON(a.stdout, struct {
			tensorJSON
			*placeJSON
		}{d, place})
	}
	t := tensorTable(d, info)
	if place != nil {
		place.describe(t)
	}
	return t.write(a.stdout)
}

// tensorTable is the text form of a description.
func tensorTable(d tensorJSON, info *tstore.Info) *table {
	t := &table{}
	t.add("name", printable(d.Name))
	if d.Selector != d.Name {
		t.add("selector", printable(d.Selector))
	}
	t.add("dtype", d.DType)
	t.add("shape", formatTuple(d.Shape))
	if len(d.Dims) > 0 {
		t.add("dims", strings.Join(quoteAll(d.Dims), ", "))
	}
	t.add("size", fmt.Sprintf("%d elements, %s", d.Size, formatBytes(d.NBytes)))
	t.add("order", orderText(d.Order))
	t.add("strides", formatTuple(d.Strides)+" elements")
	if d.Offset != 0 {
		t.add("offset", fmt.Sprintf("%d elements", d.Offset))
	}
	if d.Parent != "" {
		t.add("view of", printable(d.Parent))
	}
	addStorage(t, d)
	t.add("version", fmt.Sprint(d.Version))
	t.add("created", d.Created)
	t.add("modified", d.Modified)
	addAttrs(t, info.Record.Attrs)
	return t
}

func addStorage(t *table, d tensorJSON) {
	t.add("storage", d.Storage)
	file := printable(d.File)
	if d.Adopted {
		file += " (adopted)"
	}
	t.add("file", file)
	if d.Sparse {
		t.add("sparse", "yes")
	}
	if d.State != catalog.Clean.String() {
		t.add("state", d.State)
	}
}

// addAttrs adds a line for each attribute, in the order of their names.
func addAttrs(t *table, attrs map[string]catalog.Value) {
	for _, key := range sortedKeys(attrs) {
		t.add("attr "+printable(key), valueText(attrs[key]))
	}
}

func sortedKeys[V any](attrs map[string]V) []string {
	keys := make([]string, 0, len(attrs))
	for key := range attrs {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

func quoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = printable(name)
	}
	return out
}

func orderText(order string) string {
	switch order {
	case "C":
		return "C (row-major, contiguous)"
	case "F":
		return "F (column-major, contiguous)"
	}
	return "none (strided)"
}

func (a *app) blobInfo(ctx context.Context, s *tstore.Store, name string, asJSON bool) error {
	e, err := s.Lookup(ctx, name)
	if err != nil {
		return err
	}
	d := describeBlob(e.Record)
	if asJSON {
		return writeJSON(a.stdout, d)
	}
	t := &table{}
	t.add("name", printable(d.Name))
	t.add("kind", "blob of type "+d.Type)
	t.add("value", valueText(e.Record.Blob))
	t.add("version", fmt.Sprint(d.Version))
	t.add("created", d.Created)
	t.add("modified", d.Modified)
	addAttrs(t, e.Record.Attrs)
	return t.write(a.stdout)
}

// groupTotals is what a group and the groups in it hold.
type groupTotals struct {
	groupJSON
	Tensors int   `json:"tensors"`
	Blobs   int   `json:"blobs"`
	NBytes  int64 `json:"nbytes"`
}

// groupInfo describes a group, or returns notFound when there is none.
func (a *app) groupInfo(ctx context.Context, s *tstore.Store, name string, asJSON bool, notFound error) error {
	d := groupTotals{groupJSON: groupJSON{Name: name, Kind: "group"}}
	for item, err := range s.List(ctx, &tstore.ListOptions{Group: name, Recursive: true}) {
		if err != nil {
			return err
		}
		if item.Record.Kind == catalog.KindBlob {
			d.Blobs++
			continue
		}
		l, err := recordLayout(item.Record)
		if err != nil {
			return fmt.Errorf("%q: %w", item.Name, err)
		}
		d.Tensors++
		d.NBytes += numBytes(item.Record.DType, l)
	}
	if d.Tensors+d.Blobs == 0 {
		return notFound
	}
	if asJSON {
		return writeJSON(a.stdout, d)
	}
	t := &table{}
	t.add("name", printable(d.Name+"/"))
	t.add("kind", "group")
	t.add("tensors", fmt.Sprint(d.Tensors))
	t.add("blobs", fmt.Sprint(d.Blobs))
	t.add("size", formatBytes(d.NBytes))
	return t.write(a.stdout)
}
