package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// lazyJSON is a lazy name, as far as its record tells.
type lazyJSON struct {
	Name       string         `json:"name"`
	Kind       string         `json:"kind"`
	Expression string         `json:"expression"`
	DType      string         `json:"dtype"`
	Shape      []int          `json:"shape"`
	Dims       []string       `json:"dims"`
	Attrs      map[string]any `json:"attrs"`
	Version    uint64         `json:"version"`
	Created    string         `json:"created"`
	Modified   string         `json:"modified"`
}

// formulaJSON is what elements were, or will be, computed from.
type formulaJSON struct {
	Expression string      `json:"expression"`
	Stale      bool        `json:"stale"`
	Edited     bool        `json:"edited"`
	Inputs     []inputJSON `json:"inputs"`
}

// inputJSON is one name that an expression reads.
type inputJSON struct {
	Name  string `json:"name"`
	Then  uint64 `json:"then"`
	Now   uint64 `json:"now"`
	State string `json:"state"`
}

func describeLazy(r catalog.Record) lazyJSON {
	return lazyJSON{
		Name: r.Name, Kind: r.Kind.String(), Expression: r.Formula.Text, DType: r.DType.String(), Shape: toInts(r.Shape),
		Dims: notNil(r.Dims), Attrs: jsonAttrs(r.Attrs), Version: r.Version, Created: jsonTime(r.Created), Modified: jsonTime(r.Modified),
	}
}

// describeFormula describes the expression that the elements of a name come from; nil if there is
// none.
func describeFormula(ctx context.Context, s *tstore.Store, name string) (*formulaJSON, error) {
	f, err := s.Formula(ctx, name)
	if f == nil || err != nil {
		return nil, err
	}
	d := &formulaJSON{Expression: f.Text, Stale: f.Stale, Edited: f.Edited, Inputs: []inputJSON{}}
	for _, in := range f.Inputs {
		d.Inputs = append(d.Inputs, inputJSON{Name: in.Name, Then: in.Then, Now: in.Now, State: string(in.State)})
	}
	return d, nil
}

// describe adds the formula of a tensor to its description.
func (d *formulaJSON) describe(t *table) {
	if d == nil {
		return
	}
	t.add("made of", printable(d.Expression))
	d.describeInputs(t)
	switch {
	case d.Edited:
		t.add("stale", "yes: its elements were changed since it was made")
	case d.Stale:
		t.add("stale", "yes: tstore define --materialize makes it again")
	default:
		t.add("stale", "no")
	}
}

func (d *formulaJSON) describeInputs(t *table) {
	for _, in := range d.Inputs {
		t.add("input", in.text())
	}
}

// text says what has become of an input.
func (in inputJSON) text() string {
	name := printable(in.Name)
	switch tstore.InputState(in.State) {
	case tstore.InputMissing:
		return fmt.Sprintf("%s version %d, missing now", name, in.Then)
	case tstore.InputChanged:
		return fmt.Sprintf("%s version %d, now %d", name, in.Then, in.Now)
	case tstore.InputStale:
		return fmt.Sprintf("%s version %d, stale", name, in.Then)
	}
	return fmt.Sprintf("%s version %d", name, in.Then)
}

// lazyInfo describes a lazy name: as it was defined, and what it makes now.
func (a *app) lazyInfo(ctx context.Context, s *tstore.Store, name string, e *catalog.Entry, f infoFlags) error {
	if f.layout {
		return fmt.Errorf("%q is a lazy name: its elements lie nowhere", name)
	}

	formula, err := describeFormula(ctx, s, name)
	if err != nil {
		return err
	}

	// An expression that can't be computed now is still described, with what is wrong.
	d, problem := describeLazy(e.Record), ""
	info, err := s.StatEvaluated(ctx, name)
	switch {
	case err == nil:
		d.DType, d.Shape = info.DType.String(), info.Layout.Shape()
	case ctx.Err() != nil:
		return err
	default:
		problem = strings.TrimPrefix(errorLine(errors.Unwrap(err)), "tstore: ")
	}

	if f.json {
		return writeJSON(a.stdout, struct {
			lazyJSON
			Problem string       `json:"problem"`
			Formula *formulaJSON `json:"formula"`
		}{d, problem, formula})
	}

	t := &table{}
	t.add("name", printable(d.Name))
	t.add("kind", "lazy")
	t.add("expression", printable(d.Expression))
	t.add("dtype", d.DType)
	t.add("shape", formatTuple(d.Shape))

	if len(d.Dims) > 0 {
		t.add("dims", strings.Join(quoteAll(d.Dims), ", "))
	}
	formula.describeInputs(t)
	if problem != "" {
		t.add("problem", printable(problem))
	}

	t.add("version", fmt.Sprint(d.Version))
	t.add("created", d.Created)
	t.add("modified", d.Modified)
	addAttrs(t, e.Record.Attrs)
	return t.write(a.stdout)
}
