package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// evalFlags are the flags of eval.
type evalFlags struct {
	computeFlags
	journalFlags
	inPlace, json bool
	explain       string
	vars          []string
	dtype         string
}

// outputJSON is what became of a statement with a target, for `eval --json`.
type outputJSON struct {
	Target  string `json:"target"`
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	NBytes  int64  `json:"nbytes"`
	Created bool   `json:"created"`
}

func newEval(a *app) *cobra.Command {
	var f evalFlags
	cmd := &cobra.Command{
		Use:   "eval STATEMENT...",
		Short: "Compute expressions, and store what they make",
		Long: `Compute statements, separated by semicolons or given as several words. An
expression alone is printed as show prints; NAME = EXPRESSION makes a tensor or
replaces one; NAME[PART] = …, += -= *= /= max= min= change elements. All becomes
visible at once, or nothing does. Names with other characters than letters, digits
and _ stand in backquotes. Statements that make large tensors go on with tstore job resume
when they were interrupted.`,
		Example: `  tstore eval 'sqrt(x*x + y*y)[:10]'
  tstore eval 'c = where(a > b, a, b); total = c.sum(axis=0)'
  tstore eval 'c[::2] += k*` + "`weather/t2m`" + `[::2]' --var k=0.5
  tstore eval --explain 'c = exp(-x)'`,
		GroupID: groupCompute,
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			opts, done, err := f.evalOptions(a)
			if err != nil {
				return err
			}
			defer done()
			text := strings.Join(args, "; ")
			return a.reading(cmd.Context(), func(s *tstore.Store) error { return a.eval(cmd.Context(), s, text, opts, f.json, done) })
		},
	}

	flags := cmd.Flags()
	flags.BoolVar(&f.inPlace, "in-place", false, "write into tensors that are there: no copy is made, and an interruption leaves them half written")
	flags.StringVar(&f.explain, "explain", "", "print the plan and compute nothing; --explain=measured computes, and prints also what was measured")
	flags.Lookup("explain").NoOptDefVal = "only"
	flags.StringArrayVar(&f.vars, "var", nil, "a number with a name, `NAME=VALUE`, to use in the statements (repeatable)")
	flags.StringVar(&f.dtype, "dtype", "", "`type` to convert results to, such as float32")
	flags.BoolVar(&f.json, "json", false, "print one JSON object for each statement")
	f.computeFlags.register(flags)
	f.journalFlags.register(flags)

	return cmd
}

func (f *evalFlags) evalOptions(a *app) (*tstore.EvalOptions, func(), error) {
	opts, done, err := f.options(a, "eval")
	if err != nil {
		return nil, nil, err
	}

	opts.InPlace = f.inPlace
	if opts.Journal, err = f.journal(); err != nil {
		return nil, nil, err
	}

	if !f.json {
		opts.Edges = &view.PrintOptions{}
	}

	if f.dtype != "" {
		if opts.DType, err = dtype.Parse(f.dtype); err != nil {
			return nil, nil, err
		}
	}

	switch f.explain {
	case "":
	case "only":
		opts.Explain = tstore.ExplainOnly
	case "measured":
		opts.Explain = tstore.ExplainMeasured
	default:
		return nil, nil, fmt.Errorf("--explain=%s: want --explain or --explain=measured", f.explain)
	}

	opts.Vars, err = parseVars(f.vars)
	return opts, done, err
}

// parseVars reads "name=value" pairs. A value is the narrowest kind of number that has it exactly,
// or true or false.
func parseVars(pairs []string) (map[string]dtype.Scalar, error) {
	vars := map[string]dtype.Scalar{}
	for _, pair := range pairs {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("variable %q: want NAME=VALUE", pair)
		}

		if _, twice := vars[name]; twice {
			return nil, fmt.Errorf("variable %q: given twice", name)
		}

		// A word that the language knows as a number, such as e, could never be read as the
		// variable.
		if e, err := compute.Parse(name); err == nil && len(e.Names()) == 0 {
			return nil, fmt.Errorf("variable %q: that is %s in expressions: want another name", name, e)
		}

		v, err := parseNumber(text)
		if truth, isBool := map[string]bool{"true": true, "false": false, "True": true, "False": false}[text]; isBool {
			v, err = dtype.ScalarOf(truth), nil
		}
		if err != nil {
			return nil, fmt.Errorf("variable %q: %w", name, err)
		}

		vars[name] = v
	}
	return vars, nil
}

func (a *app) eval(ctx context.Context, s *tstore.Store, text string, opts *tstore.EvalOptions, asJSON bool, done func()) error {
	stmts, err := compute.ParseProgram(text)
	if err != nil {
		return err
	}

	if err := a.tellConstants(ctx, s, stmts); err != nil {
		return err
	}

	if asJSON && opts.Explain == tstore.ExplainNone && len(stmts) == 1 && stmts[0].Target == "" {
		return a.evalJSON(ctx, s, stmts[0].Expr, opts)
	}

	r, err := s.EvalStatements(ctx, stmts, opts)
	done()
	if err != nil {
		return err
	}

	err = a.printEval(ctx, r, opts, asJSON)
	if err != nil && a.within == nil && makesTensors(stmts) && opts.Explain != tstore.ExplainOnly {
		err = errors.Join(err, errAllMade)
	}
	return errors.Join(err, r.Close())
}

// tellConstants prints a note for each number in the statements, such as e, that is also the name
// of a tensor: one in the store, or one that the statements make.
func (a *app) tellConstants(ctx context.Context, s *tstore.Store, stmts []compute.Statement) error {
	var words []string

	targets := map[string]bool{}

	for _, st := range stmts {
		words = append(words, st.Constants...)
		targets[st.Target] = true
	}

	slices.Sort(words)
	for _, word := range slices.Compact(words) {
		_, err := s.Lookup(ctx, word)
		switch {
		case err == nil || targets[word]:
			a.note("%s is a number in expressions, not the tensor of this name: that is written in back quotes, `%s`", word, word)
		case !errors.Is(err, tstore.ErrNotFound):
			return err
		}
	}
	return nil
}

// errAllMade goes with an error of printing what the statements have made.
var errAllMade = errors.New("the statements were committed; only printing failed")

func makesTensors(stmts []compute.Statement) bool {
	return slices.ContainsFunc(stmts, func(st compute.Statement) bool { return st.Target != "" })
}

// evalJSON prints all elements of an expression as they are computed.
func (a *app) evalJSON(ctx context.Context, s *tstore.Store, e compute.Expr, opts *tstore.EvalOptions) error {
	a.quietOut(opts)
	r, err := s.ReadExpr(ctx, e, opts)
	if err != nil {
		return err
	}
	head := elementsHead{Selector: r.Expr.String(), DType: r.DType().String(), Shape: r.Shape()}
	if err = writeElementsJSON(ctx, a.stdout, head, r.Elements); err == nil {
		err = r.Unchanged()
	}
	return errors.Join(err, r.Close())
}

func (a *app) printEval(ctx context.Context, r *tstore.EvalResult, opts *tstore.EvalOptions, asJSON bool) error {
	if r.Plan != "" && !asJSON {
		if _, err := fmt.Fprint(a.stdout, r.Plan); err != nil {
			return err
		}
	}

	if opts.Explain == tstore.ExplainOnly && asJSON {
		return writeJSON(a.stdout, map[string]string{"plan": r.Plan})
	}

	for _, out := range r.Outputs {
		if err := a.printOutput(ctx, out, asJSON); err != nil {
			return err
		}
	}

	if r.Plan != "" && asJSON {
		return writeJSON(a.stdout, map[string]string{"plan": r.Plan})
	}
	return nil
}

func (a *app) printOutput(ctx context.Context, out tstore.EvalOutput, asJSON bool) error {
	switch {
	case out.Tensor != nil && asJSON:
		head := elementsHead{Selector: out.Expr.String(), DType: out.DType.String(), Shape: out.Shape}
		return writeElementsJSON(ctx, a.stdout, head, out.Tensor.Tensor)
	case out.Tensor != nil:
		return a.printElements(ctx, out.Tensor.Tensor, &view.PrintOptions{Shape: out.Shape})
	case asJSON && out.Target != "":
		n := int64(out.DType.Size())
		for _, size := range out.Shape {
			n *= int64(size)
		}
		return writeJSON(a.stdout, outputJSON{Target: out.Target, DType: out.DType.String(), Shape: out.Shape, NBytes: n, Created: out.Created})
	}
	return nil
}
