package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
)

// elementJSON is one element, for `get --json`.
type elementJSON struct {
	Index []int `json:"index"`
	Value any   `json:"value"`
}

func newGet(a *app) *cobra.Command {
	var limit int
	var asJSON bool
	var how computeFlags
	cmd := &cobra.Command{
		Use:   "get SELECTOR",
		Short: "Print elements exactly, one a line",
		Long: `Print elements one a line, in C order, with as many digits as it takes to read
the same value back.`,
		Example: `  tstore get 'weather/t2m[0, 17]'
  tstore get 'x[:, 0]' --limit 10
  tstore get 'x.max(axis=0)'`,
		GroupID: groupLook,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if limit < 0 {
				return fmt.Errorf("--limit %d: want 0 (no limit) or more", limit)
			}
			opts, done, err := how.options(a, "get")
			if err != nil {
				return err
			}
			defer done()
			a.quietOut(opts)
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				return a.withReading(cmd.Context(), s, args[0], opts, func(r *tstore.Reading) error {
					return a.get(cmd.Context(), r, limit, asJSON)
				})
			})
		},
	}

	cmd.Flags().IntVar(&limit, "limit", 0, "most elements to print; 0 is no limit")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	how.register(cmd.Flags())
	return cmd
}

func (a *app) get(ctx context.Context, r *tstore.Reading, limit int, asJSON bool) error {
	n := 0
	shape := r.Shape()
	return eachElement(ctx, r.Elements, func(s dtype.Scalar) error {
		if limit > 0 && n == limit {
			a.note("%d of %d elements are printed", limit, r.NumElems())
			return errEnough
		}
		n++
		if asJSON {
			return writeJSON(a.stdout, elementJSON{Index: indexOf(shape, n-1), Value: jsonScalar(s)})
		}
		_, err := fmt.Fprintln(a.stdout, s.String())
		return err
	})
}

// indexOf is the index of element n, counted in C order.
func indexOf(shape []int, n int) []int {
	index := make([]int, len(shape))
	for i := len(shape) - 1; i >= 0; i-- {
		index[i] = n % shape[i]
		n /= shape[i]
	}
	return index
}
