package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// histFlags are the flags of hist.
type histFlags struct {
	computeFlags
	bins, width int
	between     string
	edges       string
	json        bool
}

// histJSON is a histogram: counts[i] elements lie between edges[i] and edges[i+1].
type histJSON struct {
	Selector string  `json:"selector"`
	Counts   []int64 `json:"counts"`
	Edges    []any   `json:"edges"`
}

func newHist(a *app) *cobra.Command {
	var f histFlags
	cmd := &cobra.Command{
		Use:   "hist SELECTOR",
		Short: "Count elements in bins, and draw them as bars",
		Long: `Count the elements in bins of equal width between the smallest and the largest
one, in --range, or between --edges; what lies outside is left out. The last bin has
both its ends.`,
		Example: `  tstore hist weather/t2m
  tstore hist 'x[:, 0]' --bins 20 --range 0,1
  tstore hist x --edges 0,1,10,100 --json
  tstore hist 'log10(x)'`,
		GroupID: groupCompute,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			bins, err := f.arguments(cmd.Flags().Changed("bins"))
			if err != nil {
				return err
			}
			opts, done, err := f.options(a, "hist")
			if err != nil {
				return err
			}
			defer done()
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				return a.hist(cmd.Context(), s, args[0], bins, f, opts, done)
			})
		},
	}

	flags := cmd.Flags()
	flags.IntVar(&f.bins, "bins", 10, "number of bins")
	flags.StringVar(&f.between, "range", "", "lowest and highest edge, such as 0,1; default the smallest and the largest element")
	flags.StringVar(&f.edges, "edges", "", "all edges of the bins, ascending, such as 0,1,10; instead of --bins and --range")
	flags.IntVar(&f.width, "width", 50, "characters of the longest bar")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.register(flags)

	return cmd
}

// maxBins bounds what is drawn and held in memory.
const maxBins = 1 << 20

// arguments are those of the functions that make a histogram, behind the first. counted says that
// --bins was given.
func (f *histFlags) arguments(counted bool) ([]compute.Expr, error) {
	if f.bins < 1 || f.bins > maxBins {
		return nil, fmt.Errorf("--bins %d: want 1 to %d", f.bins, maxBins)
	}
	if f.width < 1 {
		return nil, fmt.Errorf("--width %d: want 1 or more", f.width)
	}

	if f.edges != "" {
		if counted || f.between != "" {
			return nil, errors.New("--edges beside --bins or --range: want one of them")
		}
		edges, err := f.parseEdges()
		return []compute.Expr{compute.List(edges...)}, err
	}

	bins := []compute.Expr{compute.Scalar(f.bins)}
	if f.between == "" {
		return bins, nil
	}

	lo, hi, ok := strings.Cut(f.between, ",")
	from, err := strconv.ParseFloat(strings.TrimSpace(lo), 64)
	to, err2 := strconv.ParseFloat(strings.TrimSpace(hi), 64)
	if !ok || err != nil || err2 != nil || !(from <= to) || to-from > maxRange {
		return nil, fmt.Errorf("--range %q: want the lowest and the highest edge, such as 0,1", f.between)
	}
	return append(bins, compute.Tuple(compute.Scalar(from), compute.Scalar(to))), nil
}

// parseEdges returns the numbers of --edges.
func (f *histFlags) parseEdges() ([]compute.Expr, error) {
	var edges []compute.Expr
	last := math.Inf(-1)
	for part := range strings.SplitSeq(f.edges, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(v >= last) {
			return nil, fmt.Errorf("--edges %q: want numbers that ascend, such as 0,1,10", f.edges)
		}
		edges, last = append(edges, compute.Scalar(v)), v
	}
	if len(edges) < 2 || len(edges) > maxBins {
		return nil, fmt.Errorf("--edges with %s: want 2 to %d", plural(len(edges), "number"), maxBins)
	}
	return edges, nil
}

// maxRange is the widest range that a float64 has a width for.
const maxRange = 1e308

func (a *app) hist(ctx context.Context, s *tstore.Store, sel string, bins []compute.Expr, f histFlags, o *tstore.EvalOptions, done func()) error {
	e, err := a.expr(ctx, s, sel)
	if err != nil {
		return err
	}
	args := append([]compute.Expr{e}, bins...)
	stmts := []compute.Statement{{Expr: compute.Call("histogram", args...)}, {Expr: compute.Call("histogram_bin_edges", args...)}}
	r, err := s.EvalStatements(ctx, stmts, o)
	done()
	if err != nil {
		return fmt.Errorf("hist %s: %w", sel, err)
	}

	d := histJSON{Selector: sel}
	err = eachElement(ctx, r.Outputs[0].Tensor.Tensor, func(v dtype.Scalar) error {
		n, _ := v.Int64()
		d.Counts = append(d.Counts, n)
		return nil
	})

	edges := r.Outputs[1].Tensor.Tensor
	if err == nil && f.json {
		err = a.writeHist(ctx, d, edges)
	} else if err == nil {
		err = a.drawHist(ctx, d.Counts, edges, f.width)
	}

	return errors.Join(err, r.Close())
}

func (a *app) writeHist(ctx context.Context, d histJSON, edges *view.Tensor) error {
	err := eachElement(ctx, edges, func(v dtype.Scalar) error {
		d.Edges = append(d.Edges, jsonScalar(v))
		return nil
	})
	return errors.Join(err, writeJSON(a.stdout, d))
}

// drawHist draws a bar for each bin, behind its edges and its count.
func (a *app) drawHist(ctx context.Context, counts []int64, edges *view.Tensor, width int) error {
	var texts []string
	err := eachElement(ctx, edges, func(v dtype.Scalar) error {
		texts = append(texts, strconv.FormatFloat(v.Float64(), 'g', 6, 64))
		return nil
	})
	if err != nil {
		return err
	}

	var most int64 = 1
	for _, n := range counts {
		most = max(most, n)
	}

	t := &table{right: map[int]bool{0: true, 1: true, 2: true}}
	for i, n := range counts {
		t.add(texts[i], texts[i+1], strconv.FormatInt(n, 10), bar(n, most, width))
	}
	return t.write(a.stdout)
}

// bar is as long beside the longest bar as n is beside most; what is there at all shows.
func bar(n, most int64, width int) string {
	length := int(float64(n) / float64(most) * float64(width))
	if n > 0 {
		length = max(length, 1)
	}
	return strings.Repeat("#", length)
}
