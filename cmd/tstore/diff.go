package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/interchange/npy"
)

// diffJSON is a comparison.
type diffJSON struct {
	Same      bool           `json:"same"`
	DTypes    [2]string      `json:"dtypes"`
	Shapes    [2][]int       `json:"shapes"`
	Compared  int            `json:"compared"`
	Different int            `json:"different"`
	MaxAbs    any            `json:"max_abs"`
	MaxRel    any            `json:"max_rel"`
	First     []mismatchJSON `json:"first"`
}

// mismatchJSON is a pair of elements that differ.
type mismatchJSON struct {
	Index []int `json:"index"`
	A     any   `json:"a"`
	B     any   `json:"b"`
}

// diffFlags are the flags of diff.
type diffFlags struct {
	rtol, atol     float64
	equalNaN, json bool
	cut            bool
	limit          int
	how            computeFlags
}

func newDiff(a *app) *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Compare two tensors, or a tensor and a .npy file",
		Long: `Compare element by element. A and B are selectors, expressions, or paths of .npy files.
Elements a and b are the same when a = b or |a-b| <= atol + rtol*|b|. Types may
differ, shapes may not. Nothing is printed when all are the same.

Exit code 0 means the same, 1 different, 2 an error.`,
		Example: `  tstore diff run1/loss run2/loss --rtol 1e-6
  tstore diff 'x[0]' expected.npy --equal-nan
  tstore diff total 'parts.sum(axis=0)' --rtol 1e-6`,
		GroupID:           groupLook,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: a.completeNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.limit < 0 {
				return fmt.Errorf("--limit %d: want 0 or more", f.limit)
			}
			how, done, err := f.how.options(a, "diff")
			if err != nil {
				return err
			}
			defer done()
			compare := func(s *tstore.Store) error {
				return a.diffTogether(cmd.Context(), s, args[0], args[1], f, *how, done)
			}
			if isNpyPath(args[0]) && isNpyPath(args[1]) {
				return compare(nil)
			}
			return a.reading(cmd.Context(), compare)
		},
	}
	flags := cmd.Flags()
	flags.Float64Var(&f.rtol, "rtol", 0, "relative tolerance")
	flags.Float64Var(&f.atol, "atol", 0, "absolute tolerance")
	flags.BoolVar(&f.equalNaN, "equal-nan", false, "a nan is the same as a nan")
	flags.IntVar(&f.limit, "limit", 10, "most differing elements to print")
	flags.BoolVar(&f.cut, "allow-trailing", false, "leave out bytes behind the elements of a file")
	flags.BoolVar(&f.json, "json", false, "print JSON, also when all are the same")
	f.how.register(flags)
	return cmd
}

// diffTries is how often elements are compared that others change meanwhile.
const diffTries = 5

// diffTogether compares elements of one state of the store, and then prints the differences.
func (a *app) diffTogether(ctx context.Context, s *tstore.Store, left, right string, f diffFlags, how tstore.EvalOptions, done func()) error {
	for try := 1; ; try++ {
		var out bytes.Buffer
		once := *a
		once.stdout = &out
		o := npy.Options{AllowTrailing: f.cut}
		err := once.withOperands(ctx, s, left, right, o, how, func(x, y compute.Elements) error { return once.diff(ctx, x, y, f) })
		switch {
		case !errors.Is(err, tstore.ErrConflict):
			done()
			_, failed := out.WriteTo(a.stdout)
			return errors.Join(err, failed)
		case try == diffTries:
			return err
		}
	}
}

// diff prints the differences. It returns errFound when there are any.
func (a *app) diff(ctx context.Context, x, y compute.Elements, f diffFlags) error {
	sameShape := slices.Equal(x.Shape(), y.Shape())
	var d compute.Difference
	if sameShape {
		var err error
		if d, err = compute.Diff(ctx, x, y, f.options()); err != nil {
			return err
		}
	}

	same := sameShape && d.Count == 0
	var err error
	switch {
	case f.json:
		err = writeJSON(a.stdout, describeDiff(x, y, d, same))
	case !sameShape:
		_, err = fmt.Fprintf(a.stdout, "shapes differ: %s and %s\n", formatTuple(x.Shape()), formatTuple(y.Shape()))
	case !same:
		err = a.printDiff(d)
	}

	if !same {
		err = errors.Join(err, errFound)
	}
	return err
}

// options are those of the library, where 0 means the default limit and a negative one none.
func (f diffFlags) options() compute.DiffOptions {
	o := compute.DiffOptions{RTol: f.rtol, ATol: f.atol, EqualNaN: f.equalNaN, Limit: f.limit}
	if o.Limit == 0 {
		o.Limit = -1
	}
	return o
}

func (a *app) printDiff(d compute.Difference) error {
	_, err := fmt.Fprintf(a.stdout, "%d of %d elements differ: |a-b| is at most %v, |a-b|/|b| at most %v\n", d.Count, d.Compared, d.MaxAbs, d.MaxRel)
	if err != nil {
		return err
	}
	t := &table{right: map[int]bool{1: true}}
	for _, m := range d.First {
		t.add(formatIndex(m.Index), m.A.String(), m.B.String())
	}
	if err := t.write(a.stdout); err != nil {
		return err
	}
	if more := d.Count - len(d.First); more > 0 && len(d.First) > 0 {
		_, err = fmt.Fprintf(a.stdout, "… and %d more\n", more)
	}
	return err
}

func describeDiff(x, y compute.Elements, d compute.Difference, same bool) diffJSON {
	out := diffJSON{
		Same:     same,
		DTypes:   [2]string{x.DType().String(), y.DType().String()},
		Shapes:   [2][]int{x.Shape(), y.Shape()},
		Compared: d.Compared, Different: d.Count,
		MaxAbs: jsonFloat(d.MaxAbs), MaxRel: jsonFloat(d.MaxRel),
		First: make([]mismatchJSON, len(d.First)),
	}
	for i, m := range d.First {
		out.First[i] = mismatchJSON{Index: m.Index, A: jsonScalar(m.A), B: jsonScalar(m.B)}
	}
	return out
}

// formatIndex spells the index of an element as a selector does: [0, 17].
func formatIndex(index []int) string {
	tuple := formatTuple(index)
	if len(index) == 1 {
		return fmt.Sprintf("[%d]", index[0])
	}
	return "[" + tuple[1:len(tuple)-1] + "]"
}
