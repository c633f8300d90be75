package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/view"
)

// createFlags are the flags of create.
type createFlags struct {
	elements elementFlags
	labels   labelFlags
	reserve  reserveFlag
	values   valueFlags
	dryRun   bool
	json     bool
}

func newCreate(a *app) *cobra.Command {
	var f createFlags
	cmd := &cobra.Command{
		Use:   "create NAME --dtype TYPE --shape SIZES",
		Short: "Make a tensor of zeros, of a value, of a sequence or of random numbers",
		Long: `Make a new tensor of zeros, or of what --fill, --arange or --random say. With
--reserve sparse it takes disk space as elements are written, so that one of many
terabytes is made at once; without, the space is taken now and a full disk is an
error now.`,
		Example: `  tstore create x --dtype float32 --shape 1000,1000
  tstore create log --dtype float64 --shape 0,3 --dims time,axis
  tstore create steps --dtype int64 --shape 10 --arange=100:5
  tstore create noise --dtype float32 --shape 512,512 --random 42
  tstore create huge --dtype uint8 --shape 1000000,1000000 --reserve sparse`,
		GroupID: groupData,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			src, err := f.source(cmd.Flags().Changed)
			if err != nil {
				return err
			}
			return a.changing(cmd.Context(), func(s *tstore.Store) error {
				if f.dryRun {
					return a.wouldCreate(cmd.Context(), s, args[0], src)
				}
				if err := a.create(cmd.Context(), s, args[0], src); err != nil {
					return err
				}
				return a.tellMade(cmd.Context(), s, "made", args[0], f.json)
			})
		},
	}

	flags := cmd.Flags()
	f.elements.register(flags)
	f.labels.register(flags)
	f.values.register(flags)
	flags.Var(&f.reserve, "reserve", "disk space: preallocate or sparse")

	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be written, and write nothing")
	flags.BoolVar(&f.json, "json", false, "print the new tensor as JSON")
	return cmd
}

func (f *createFlags) source(given func(flag string) bool) (tstore.Source, error) {
	sp, err := f.elements.parse()
	if err != nil {
		return tstore.Source{}, err
	}
	if sp.Shape == nil {
		return tstore.Source{}, errors.New(`--shape is missing: the length of each axis, such as 3,4, or "()" for a scalar`)
	}
	if err := f.labels.apply(&sp); err != nil {
		return tstore.Source{}, err
	}

	sp.Reserve = tstore.Reserve(f.reserve)
	n, err := sp.NumElems()
	if err != nil {
		return tstore.Source{}, err
	}

	data, err := f.values.reader(given, sp.DType, n)
	return tstore.Source{Spec: sp, Data: data}, err
}

func (a *app) wouldCreate(ctx context.Context, s *tstore.Store, name string, src tstore.Source) error {
	size, err := src.NumBytes()
	if err != nil {
		return err
	}
	return a.wouldWrite(ctx, s, name, size, false)
}

func (a *app) create(ctx context.Context, s *tstore.Store, name string, src tstore.Source) error {
	size, err := src.NumBytes()
	if err != nil {
		return err
	}

	bar := a.progress("create "+printable(name), size)
	defer bar.done()
	src.Progress = bar.update
	if src.Data == nil || src.Order == tstore.RowMajor {
		return s.Create(ctx, name, src)
	}
	return s.CreateFilled(ctx, name, src.Spec, func(t *view.Tensor) error { return fillTensor(ctx, t, src) })
}

// fillTensor writes elements that come in C order to a tensor of any order.
func fillTensor(ctx context.Context, t *view.Tensor, src tstore.Source) error {
	w := &countedWriter{w: t.Writer(), count: src.Progress}
	for {
		_, err := io.CopyN(w, src.Data, fillPieceBytes)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
	}
}

// fillPieceBytes is written between two looks at the context.
const fillPieceBytes = 4 << 20
