package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// copyFlags are the flags of cp.
type copyFlags struct {
	computeFlags
	journalFlags
	overwrite, dryRun, recursive bool
	from                         string
}

func newCopy(a *app) *cobra.Command {
	var f copyFlags
	cmd := &cobra.Command{
		Use:   "cp SELECTOR|PATTERN... NAME|GROUP/",
		Short: "Copy tensors, parts of them and blobs to new names",
		Long: `Copy a tensor, or the part that SELECTOR picks, to a tensor of its own, in C order,
with its attributes. A copy shares nothing with the original: a view or an
adopted file becomes independent this way. What no view can express, such as
index arrays, masks and astype, is copied too; of a lazy name what it makes now, and of
an expression what it makes.
Several are copied into a group, which is written with a slash at its end, in one
transaction; with -r a group is copied with all that is in it.
With --from, names of another store are copied, under their names or into a group, with
attributes, axis names and seals; views of a tensor that is copied stay its views.
A long copy of one tensor that is interrupted goes on with tstore job resume.`,
		Example: `  tstore cp adopted own
  tstore cp 'x[x_is_valid].astype(float32)' valid
  tstore cp 'weather/t2m[::10]' weather/sample --overwrite
  tstore cp 'a - b' difference
  tstore cp -r weather archive/
  tstore cp -r weather --from /data/other/.tstore`,
		GroupID: groupChange,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case cmd.Flags().Changed("from"):
				if err := refuseWithFrom(cmd.Flags()); err != nil {
					return err
				}
				return a.copyFrom(cmd.Context(), args, f)
			case len(args) < 2:
				return errors.New("expected what to copy, and the name of the copy (--from copies from another store, under the names there)")
			}
			opts, done, err := f.options(a, "copy "+printable(args[0]))
			if err != nil {
				return err
			}
			defer done()
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				return a.copyAll(cmd.Context(), s, args[:len(args)-1], args[len(args)-1], f, opts)
			})
		},
	}

	f.computeFlags.register(cmd.Flags())
	f.journalFlags.register(cmd.Flags())
	registerRecursive(cmd.Flags(), &f.recursive)
	cmd.Flags().StringVar(&f.from, "from", "", "copy names of the store in this `folder`")
	cmd.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace a tensor that has the name already")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would be written, and write nothing")

	return cmd
}

// refuseWithFrom returns an error if a flag is set that says how to compute, or to go on later, which
// a copy from another store does not.
func refuseWithFrom(flags *pflag.FlagSet) (err error) {
	var f copyFlags
	others := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.computeFlags.register(others)
	f.journalFlags.register(others)
	others.VisitAll(func(flag *pflag.Flag) {
		if err == nil && flags.Changed(flag.Name) {
			err = fmt.Errorf("--%s does nothing with --from, which copies names as they are, at once: leave it out", flag.Name)
		}
	})
	return err
}

// copyAll copies a source to a name, or any number of them into a group.
func (a *app) copyAll(ctx context.Context, s *tstore.Store, sources []string, target string, f copyFlags, o *tstore.EvalOptions) error {
	p := picker{app: a, store: s, recursive: f.recursive, expressions: true}
	picks, err := p.pick(ctx, sources)
	if err != nil {
		return err
	}
	names, err := copyNames(sources, picks, target)
	if err != nil {
		return err
	}

	if len(picks) == 1 {
		return a.copyOne(ctx, s, picks[0].text, names[0], f, o)
	}
	return s.Update(ctx, func(tx *tstore.Tx) error {
		for i, one := range picks {
			if err := a.copyOne(ctx, tx.Store(), one.text, names[i], f, o); err != nil {
				return err
			}
		}
		return nil
	})
}

// copyNames returns the names of copies: target, or names in the group that it is. A whole group may
// become another one.
func copyNames(sources []string, picks []pick, target string) ([]string, error) {
	into, err := isInto(sources, picks, target)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(picks))
	for i, one := range picks {
		switch {
		case into && one.inner == "":
			return nil, fmt.Errorf("%s has no name of its own to have in %q: name its copy", printable(one.text), target)
		case into:
			names[i] = target + one.inner
		default:
			names[i] = target
			if _, below, isInGroup := strings.Cut(one.inner, "/"); isInGroup {
				names[i] += "/" + below
			}
		}
	}
	return names, oneEach(picks, names)
}

// oneEach returns an error if two picks would get one name, of which a copy that replaces what is
// there would keep the last.
func oneEach(picks []pick, names []string) error {
	from := map[string]string{}
	for i, name := range names {
		if other, taken := from[name]; taken {
			return fmt.Errorf("%s and %s would both be copied to %q: copy them one by one", printable(other), printable(picks[i].text), name)
		}
		from[name] = picks[i].text
	}
	return nil
}

// copyOne copies a blob, or what has elements.
func (a *app) copyOne(ctx context.Context, s *tstore.Store, sel, name string, f copyFlags, o *tstore.EvalOptions) error {
	if isSource(sel) {
		if e, err := s.Lookup(ctx, sel); err == nil && e.Record.Kind == catalog.KindBlob {
			return a.copyBlob(ctx, s, &e.Record, name, f)
		}
	}
	return a.copy(ctx, s, sel, name, f, o)
}

// copyBlob copies a value and its attributes.
func (a *app) copyBlob(ctx context.Context, s *tstore.Store, from *catalog.Record, name string, f copyFlags) error {
	if f.dryRun {
		return a.wouldWrite(ctx, s, name, 0, f.overwrite)
	}
	return s.Update(ctx, func(tx *tstore.Tx) error {
		taken, err := exists(ctx, s, name)
		if err != nil {
			return err
		}
		if taken && !f.overwrite {
			return orOverwrite(fmt.Errorf("copy %q to %q: %w", from.Name, name, tstore.ErrExists), false)
		}
		if err := tx.PutBlob(name, from.Blob); err != nil {
			return err
		}
		for _, key := range sortedKeys(from.Attrs) {
			if err := tx.SetAttr(name, key, from.Attrs[key]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (a *app) copy(ctx context.Context, s *tstore.Store, sel, name string, f copyFlags, o *tstore.EvalOptions) error {
	if err := a.tellNumbers(ctx, s, sel); err != nil {
		return err
	}
	if !f.dryRun {
		journal, err := f.journal()
		if err != nil {
			return err
		}
		return orOverwrite(s.Copy(ctx, name, sel, &tstore.ImportOptions{Overwrite: f.overwrite, Eval: o, Journal: journal}), f.overwrite)
	}
	info, err := s.StatEvaluated(ctx, sel)
	if err != nil {
		return err
	}
	return a.wouldWrite(ctx, s, name, numBytes(info.DType, info.Layout), f.overwrite)
}
