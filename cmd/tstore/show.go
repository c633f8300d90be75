package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/view"
)

// showFlags are the flags of show.
type showFlags struct {
	precision, threshold, edgeItems, lineWidth int
	suppress, json                             bool
	how                                        computeFlags
}

// NumPy's defaults.
const (
	defaultThreshold = 1000
	defaultEdgeItems = 3
)

func newShow(a *app) *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "show SELECTOR",
		Short: "Print elements as NumPy prints an array",
		Long: `Print elements as NumPy prints an array: all of a small one, the corners of a
large one. No more is read, or computed, than is printed.`,
		Example: `  tstore show weather/t2m
  tstore show 'weather/t2m[0, ::10]' --precision 3
  tstore show 'x[:2]' --json
  tstore show 't2m.mean(axis=0) - 273.15'`,
		GroupID: groupLook,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, done, err := f.how.options(a, "show")
			if err != nil {
				return err
			}
			defer done()
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				return a.show(cmd.Context(), s, args[0], f, opts, done)
			})
		},
	}

	flags := cmd.Flags()
	flags.IntVar(&f.precision, "precision", 8, "most digits after the decimal point")
	flags.IntVar(&f.threshold, "threshold", defaultThreshold, "most elements that are all printed")
	flags.IntVar(&f.edgeItems, "edge-items", defaultEdgeItems, "items at either end of a longer axis")
	flags.IntVar(&f.lineWidth, "line-width", 75, "characters a line is wrapped at")
	flags.BoolVar(&f.suppress, "suppress", false, "print small numbers as 0 instead of in scientific notation")
	flags.BoolVar(&f.json, "json", false, "print all elements as nested JSON lists")
	f.how.register(flags)

	return cmd
}

func (a *app) show(ctx context.Context, s *tstore.Store, sel string, f showFlags, o *tstore.EvalOptions, done func()) error {
	opts, err := f.options()
	if err != nil {
		return err
	}

	if f.json {
		a.quietOut(o)
		return a.withReading(ctx, s, sel, o, func(r *tstore.Reading) error {
			return writeElementsJSON(ctx, a.stdout, headOf(r, sel), r.Elements)
		})
	}
	// No more is computed than is printed.
	o.Edges = opts
	return a.withTensor(ctx, s, sel, o, func(t *tstore.Tensor) error {
		done()
		printed := *opts
		printed.Shape = t.Info.Layout.Shape()
		return a.printElements(ctx, t.Tensor, &printed)
	})
}

// printElements prints a tensor, or the edges of one, as NumPy does.
func (a *app) printElements(ctx context.Context, t *view.Tensor, opts *view.PrintOptions) error {
	if err := view.FprintContext(ctx, a.stdout, t, opts); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout)
	return err
}

// options returns the print options, in which 0 means the default and a negative number none.
func (f showFlags) options() (*view.PrintOptions, error) {
	for name, n := range map[string]int{"precision": f.precision, "threshold": f.threshold} {
		if n < 0 {
			return nil, fmt.Errorf("--%s %d: want 0 or more", name, n)
		}
	}
	if f.edgeItems < 1 || f.lineWidth < 1 {
		return nil, fmt.Errorf("--edge-items %d --line-width %d: want 1 or more", f.edgeItems, f.lineWidth)
	}

	none := func(n int) int {
		if n == 0 {
			return -1
		}
		return n
	}

	return &view.PrintOptions{
		Precision: none(f.precision), Threshold: none(f.threshold),
		EdgeItems: f.edgeItems, LineWidth: f.lineWidth, Suppress: f.suppress,
	}, nil
}
