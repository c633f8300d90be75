package main

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
)

// statsJSON is a summary of elements.
type statsJSON struct {
	Name     string `json:"name"`
	Selector string `json:"selector"`
	DType    string `json:"dtype"`
	Count    int    `json:"count"`
	Min      any    `json:"min"`
	Max      any    `json:"max"`
	Mean     any    `json:"mean"`
	Std      any    `json:"std"`
	Sum      any    `json:"sum"`
	NaN      int    `json:"nan"`
	Inf      int    `json:"inf"`
	Zero     int    `json:"zero"`

	Quantiles      []quantileJSON `json:"quantiles"`
	QuantilesExact bool           `json:"quantiles_exact"`
}

// quantileJSON is the element that a share of the elements does not exceed.
type quantileJSON struct {
	Level float64 `json:"level"`
	Value any     `json:"value"`
}

func newStats(a *app) *cobra.Command {
	var asJSON, exact, recursive bool
	var how computeFlags
	cmd := &cobra.Command{
		Use:   "stats SELECTOR|PATTERN...",
		Short: "Print minimum, maximum, mean and the like",
		Long: `Read all elements once and print how many there are, their minimum, maximum,
mean, standard deviation and sum, quantiles, and how many are nan, infinite and
zero. Nans count, but do not enter the other numbers. Quantiles of many elements
are estimates from a sample, and marked so; --exact finds those of all elements,
for which they are read once more, or computed again if they are computed.`,
		Example: `  tstore stats weather/t2m
  tstore stats 'x[:, 3]' --json
  tstore stats 'weather/*[0]'
  tstore stats weather/t2m --exact
  tstore stats 'forecast - measured'`,
		GroupID: groupLook,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				p := picker{app: a, store: s, recursive: recursive, expressions: true, kinds: withElements}
				picks, err := p.pick(cmd.Context(), args)
				if err != nil {
					return err
				}
				for _, one := range picks {
					if len(picks) > 1 && !asJSON {
						fmt.Fprintf(a.stdout, "%s:\n", a.name(one.text))
					}
					if err := a.statsOf(cmd.Context(), s, one.text, exact, asJSON, how); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}

	registerRecursive(cmd.Flags(), &recursive)

	how.register(cmd.Flags())
	cmd.Flags().BoolVar(&exact, "exact", false, "quantiles of all elements, not of a sample")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// statsOf prints the summary of what a text selects or computes.
func (a *app) statsOf(ctx context.Context, s *tstore.Store, sel string, exact, asJSON bool, how computeFlags) error {
	opts, done, err := how.options(a, "stats")
	if err != nil {
		return err
	}
	defer done()
	return a.withReading(ctx, s, sel, opts, func(r *tstore.Reading) error {
		return a.stats(ctx, r, sel, exact, asJSON, done)
	})
}

func (a *app) stats(ctx context.Context, r *tstore.Reading, sel string, exact, asJSON bool, done func()) error {
	summarize := compute.Stats
	if exact {
		summarize = compute.StatsExact
	}

	sum, err := summarize(ctx, r.Elements)
	done()
	if err != nil {
		return err
	}

	if asJSON {
		return writeJSON(a.stdout, describeStats(r, sel, sum))
	}

	tab := &table{}
	tab.add("dtype", sum.DType.String())
	tab.add("count", strconv.Itoa(sum.Count))
	if sum.Min.Type().Valid() {
		tab.add("min", sum.Min.String())
		tab.add("max", sum.Max.String())
	}

	tab.add("mean", sum.Mean.String())
	tab.add("std", dtype.ScalarOf(sum.Std).String())
	tab.add("sum", sum.Sum.String())
	tab.add("nan", strconv.Itoa(sum.NaN))
	tab.add("inf", strconv.Itoa(sum.Inf))
	tab.add("zero", strconv.Itoa(sum.Zero))

	addQuantiles(tab, sum)
	return tab.write(a.stdout)
}

func describeStats(r *tstore.Reading, sel string, sum compute.Summary) statsJSON {
	d := statsJSON{
		Name: r.Info.Record.Name, Selector: selectorText(r.Info, sel), DType: sum.DType.String(), Count: sum.Count,
		Mean: jsonScalar(sum.Mean), Std: jsonFloat(sum.Std), Sum: jsonScalar(sum.Sum),
		NaN: sum.NaN, Inf: sum.Inf, Zero: sum.Zero,
	}
	d.Quantiles, d.QuantilesExact = []quantileJSON{}, sum.QuantilesExact
	if !sum.Min.Type().Valid() {
		return d
	}
	d.Min, d.Max = jsonScalar(sum.Min), jsonScalar(sum.Max)
	for i, level := range compute.QuantileLevels {
		d.Quantiles = append(d.Quantiles, quantileJSON{level, jsonScalar(sum.Quantiles[i])})
	}
	return d
}

// addQuantiles adds a line for each quantile, for elements that have an order.
func addQuantiles(tab *table, sum compute.Summary) {
	if !sum.Min.Type().Valid() {
		return
	}
	mark := "  (estimate)"
	if sum.QuantilesExact {
		mark = ""
	}
	for i, level := range compute.QuantileLevels {
		tab.add(strconv.FormatFloat(100*level, 'g', -1, 64)+"%", sum.Quantiles[i].String()+mark)
	}
}
