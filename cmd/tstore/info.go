package main

import (
	"context"
	"errors"
	"fmt"
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

	whole := isSource(sel)
	if e, err := s.Lookup(ctx, sel); whole && err == nil && e.Record.Kind == catalog.KindLazy {
		return a.lazyInfo(ctx, s, sel, e, f)
	}

	info, err := s.StatEvaluated(ctx, sel)
	switch {
	case whole && errors.Is(err, tstore.ErrWrongKind):
		return a.blobInfo(ctx, s, sel, f.json)
	case whole && errors.Is(err, tstore.ErrNotFound):
		return a.groupInfo(ctx, s, sel, f.json, err)
	case err != nil:
		return err
	}

	d := describeTensor(s, info, sel)
	if info.Selector.Name != "" {
		if d.Formula, err = describeFormula(ctx, s, sourceOf(info)); err != nil {
			return err
		}
	}

	var inFile *fileLayoutJSON
	if f.layout && info.Copied {
		return fmt.Errorf("%s is no view of the store: it is a copy that lies nowhere", d.Selector)
	}
	if f.layout {
		if inFile, err = describeFileLayout(ctx, s, info); err != nil {
			return err
		}
	}

	if f.json {
		return writeJSON(a.stdout, struct {
			tensorJSON
			*fileLayoutJSON
		}{d, inFile})
	}

	t := tensorTable(d, info)
	d.Formula.describe(t)
	if inFile != nil {
		inFile.describe(t)
	}
	return t.write(a.stdout)
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
