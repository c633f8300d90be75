package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
)

// knnFlags are the flags of knn.
type knnFlags struct {
	computeFlags
	k                 int
	metric            string
	output, distances string
	overwrite, json   bool
}

func newKNN(a *app) *cobra.Command {
	var f knnFlags
	cmd := &cobra.Command{
		Use:   "knn QUERIES BASE",
		Short: "Find the nearest rows",
		Long: `Compare each row of QUERIES with all rows of BASE, and print, or store, the indexes of
the nearest ones, the nearest first; of equal ones the first. Results are exact. BASE may
be larger than memory.`,
		Example: `  tstore knn queries embeddings -k 10 -o nearest --distances how_near
  tstore knn 'queries[:5]' embeddings --metric cosine`,
		GroupID: groupCompute,
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, done, err := f.options(a, "knn")
			if err != nil {
				return err
			}
			defer done()
			return a.reading(cmd.Context(), func(s *tstore.Store) error {
				return a.knn(cmd.Context(), s, args[0], args[1], f, opts, done)
			})
		},
	}

	flags := cmd.Flags()
	flags.IntVarP(&f.k, "k", "k", 10, "rows to find for each query")
	flags.StringVar(&f.metric, "metric", "l2", "what is near: l2, dot or cosine")
	flags.StringVarP(&f.output, "output", "o", "", "make a tensor `NAME` of the indexes instead of printing them")
	flags.StringVar(&f.distances, "distances", "", "make a tensor `NAME` of the distances, or, by dot, products")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace tensors that have the names already")
	flags.BoolVar(&f.json, "json", false, "print JSON")
	f.register(flags)

	return cmd
}

func (a *app) knn(ctx context.Context, s *tstore.Store, queries, base string, f knnFlags, o *tstore.EvalOptions, done func()) error {
	q, err1 := a.expr(ctx, s, queries)
	b, err2 := a.expr(ctx, s, base)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}

	stmts := []compute.Statement{{Target: f.output, Expr: compute.Nearest(q, b, f.k, f.metric)}}
	if f.distances != "" {
		stmts = append(stmts, compute.Statement{Target: f.distances, Expr: compute.NearestDistances(q, b, f.k, f.metric)})
	}

	// Look for taken names before anything is computed.
	for _, st := range stmts {
		if st.Target == "" || f.overwrite {
			continue
		}
		switch taken, err := exists(ctx, s, st.Target); {
		case err != nil:
			return err
		case taken:
			return fmt.Errorf("create %q: %w (--overwrite replaces it)", st.Target, tstore.ErrExists)
		}
	}

	o.NewOnly = !f.overwrite
	r, err := s.EvalStatements(ctx, stmts, o)
	done()
	if err != nil {
		return fmt.Errorf("knn %s %s: %w", queries, base, err)
	}

	return errors.Join(a.printEval(ctx, r, o, f.json), r.Close())
}
