package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
)

// defineFlags are the flags of define.
type defineFlags struct {
	computeFlags
	labels                 labelFlags
	overwrite, materialize bool
}

func newDefine(a *app) *cobra.Command {
	var f defineFlags
	cmd := &cobra.Command{
		Use:   "define NAME [EXPRESSION]",
		Short: "Give an expression a name, which is computed when it is read",
		Long: `Give an expression a name. Reading the name, or a part of it, computes what is
asked for, with the tensors in the expression as they are then. --materialize
computes all of it and keeps it as a tensor, which remembers the expression:
info then says when what it was made of has changed, and define --materialize
NAME computes it again.`,
		Example: `  tstore define ndvi '(nir - red) / (nir + red)'
  tstore show 'ndvi[:2, :2]'
  tstore define --materialize ndvi`,
		GroupID: groupCompute,
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && !f.materialize {
				return errors.New("expected an EXPRESSION, or --materialize for a name that has one (usage: tstore define NAME EXPRESSION)")
			}
			opts, done, err := f.options(a, "define")
			if err != nil {
				return err
			}
			defer done()
			return a.changing(cmd.Context(), func(s *tstore.Store) error { return a.define(cmd.Context(), s, args, f, opts) })
		},
	}

	flags := cmd.Flags()
	flags.BoolVar(&f.materialize, "materialize", false, "compute it now, and keep the elements")
	flags.BoolVar(&f.overwrite, "overwrite", false, "give a lazy name that is there another expression")
	olderWord(flags, "replace", &f.overwrite)
	f.labels.register(flags)
	f.register(flags)

	return cmd
}

func (a *app) define(ctx context.Context, s *tstore.Store, args []string, f defineFlags, opts *tstore.EvalOptions) error {
	attrs, err := parseAttrs(f.labels.attrs)
	if err != nil {
		return err
	}

	if len(args) == 2 {
		if stmts, err := compute.ParseProgram(args[1]); err == nil { // of text that is none, Define tells what is wrong
			if err := a.tellConstants(ctx, s, stmts); err != nil {
				return err
			}
		}
		err = s.Define(ctx, args[0], args[1], &tstore.DefineOptions{
			Dims: f.labels.dims, Attrs: attrs, Replace: f.overwrite, Materialize: f.materialize, Eval: opts,
		})
		if e, none := s.Lookup(ctx, args[0]); none == nil && e.Record.Kind == catalog.KindLazy {
			err = orOverwrite(err, f.overwrite)
		}
		if err == nil && a.within == nil {
			a.note("defined %q", args[0])
		}
		return err
	}

	if f.overwrite || len(f.labels.dims)+len(attrs) > 0 {
		return errors.New("--overwrite, --dims and --attr belong to a new expression, and there is none")
	}
	if err := s.Materialize(ctx, args[0], opts); err != nil {
		return err
	}
	return a.tellMade(ctx, s, "computed", args[0], false)
}
