package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
)

// reduceFlags are the flags of reduce.
type reduceFlags struct {
	computeFlags
	axis, output, where string
	keepDims, json      bool
	overwrite           bool
	ddof                float64
}

func newReduce(a *app) *cobra.Command {
	var f reduceFlags
	cmd := &cobra.Command{
		Use:   "reduce OP SELECTOR",
		Short: "Sum, average or otherwise reduce over axes",
		Long: `Reduce a tensor over all axes, or over those of --axis, as NumPy does. OP is sum,
prod, mean, var, std, min, max, ptp, argmin, argmax, any, all, count_nonzero, norm,
logsumexp, median, or nansum, nanprod, nanmean, nanvar, nanstd, nanmin, nanmax,
nanargmin, nanargmax, nanmedian, which leave out NaNs.`,
		Example: `  tstore reduce mean weather/t2m --axis 0
  tstore reduce mean weather/t2m --axis lat,lon
  tstore reduce std 'x[:, ::2]' --axis 0,1 --ddof 1
  tstore reduce sum x --axis -1 --keepdims -o row_sums
  tstore reduce max 'abs(a - b)'`,
		GroupID: groupCompute,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, done, err := f.options(a, "reduce")
			if err != nil {
				return err
			}
			defer done()
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				return a.reduce(cmd.Context(), s, args[0], args[1], f, opts, done)
			})
		},
	}

	flags := cmd.Flags()
	flags.StringVar(&f.axis, "axis", "", "axes to reduce over by number or name, such as 0,-1 or lat,lon; default all")
	flags.BoolVar(&f.keepDims, "keepdims", false, "keep the axes, with length 1")
	flags.Float64Var(&f.ddof, "ddof", 0, "of var and std: divide by the number of elements less this")
	flags.StringVar(&f.where, "where", "", "reduce only the elements where this `SELECTOR` is true")
	flags.StringVarP(&f.output, "output", "o", "", "make a tensor `NAME` of the result instead of printing it")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace a tensor that has the name already")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.register(flags)

	return cmd
}

func (a *app) reduce(ctx context.Context, s *tstore.Store, op, sel string, f reduceFlags, o *tstore.EvalOptions, done func()) error {
	e, err := f.expression(ctx, a, s, op, sel)
	if err != nil {
		return err
	}

	// Look for a taken name before anything is computed.
	if f.output != "" && !f.overwrite {
		taken, err := exists(ctx, s, f.output)
		switch {
		case err != nil:
			return err
		case taken:
			return fmt.Errorf("create %q: %w (--overwrite replaces it)", f.output, tstore.ErrExists)
		}
	}

	o.NewOnly = !f.overwrite
	r, err := s.EvalStatements(ctx, []compute.Statement{{Target: f.output, Expr: e}}, o)
	done()
	if err != nil {
		return fmt.Errorf("reduce %s %s: %w", op, sel, err)
	}

	return errors.Join(a.printEval(ctx, r, o, f.json), r.Close())
}

func (f *reduceFlags) expression(ctx context.Context, a *app, s *tstore.Store, op, sel string) (compute.Expr, error) {
	e, err := a.expr(ctx, s, sel)
	if err != nil {
		return e, err
	}

	o := compute.ReduceOptions{KeepDims: f.keepDims, DDof: f.ddof}
	if err := parseAxes(f.axis, &o); err != nil {
		return e, err
	}

	if f.where != "" {
		where, err := a.expr(ctx, s, f.where)
		if err != nil {
			return e, err
		}
		o.Where = &where
	}

	return compute.Reduction(op, e, o), nil
}

// parseAxes reads "0", "0,-1" or "lat,lon" into o.
func parseAxes(text string, o *compute.ReduceOptions) error {
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			return fmt.Errorf("--axis %q: expected axes such as 0, 0,-1 or lat,lon", text)
		}
		if n, err := strconv.Atoi(part); err == nil {
			o.Axes = append(o.Axes, n)
		} else {
			o.AxisNames = append(o.AxisNames, part)
		}
	}
	return nil
}
