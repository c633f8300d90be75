package tstore

import (
	"context"
	"errors"

	"github.com/tstore/tstore/catalog"
)

// Formula is what a lazy name stands for, or what a materialised tensor was
// computed from.
type Formula struct {
	// Text is the expression.
	Text   string
	Inputs []FormulaInput
	// Stale is true for a tensor that Materialize would make anew: an input
	// has changed or is missing, or is stale itself, or the tensor's elements
	// were changed through another name. Lazy names are never stale: their
	// inputs are compared with those at their definition.
	Stale bool
	// Edited is true when the tensor's elements were changed since.
	Edited bool
}

// FormulaInput is one name that an expression reads.
type FormulaInput struct {
	Name string
	// Then is the version at the definition of a lazy name, or that which a
	// tensor was computed from; Now is the version it has.
	Then, Now uint64
	State     InputState
}

// InputState says how an input differs from what it was.
type InputState string

// The states of inputs.
const (
	InputSame    InputState = "same"
	InputChanged InputState = "changed"
	InputMissing InputState = "missing" // renamed or deleted
	InputStale   InputState = "stale"   // a materialised tensor whose own inputs have changed
)

// maxFormulaDepth bounds how far staleness is looked for through inputs that
// are materialised themselves.
const maxFormulaDepth = 16

// Formula tells what a lazy name stands for, or what a tensor that Materialize
// made was computed from, and what has changed since. It is nil for a tensor
// without an expression, and reads the catalog only. A tensor loses its
// expression when its elements are written by other means.
func (s *Store) Formula(ctx context.Context, name string) (*Formula, error) {
	e, err := s.lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.formula(ctx, e, maxFormulaDepth)
}

func (s *Store) formula(ctx context.Context, e *catalog.Entry, depth int) (*Formula, error) {
	if e.Record.Formula.IsZero() {
		return nil, nil
	}
	tensor := e.Record.Kind == catalog.KindTensor
	f := &Formula{Text: e.Record.Formula.Text, Edited: tensor && e.Storage.Changes > 0}
	f.Stale = f.Edited
	for _, was := range e.Record.Formula.Inputs {
		in, err := s.formulaInput(ctx, was, depth-1)
		if err != nil {
			return nil, err
		}
		f.Stale = f.Stale || tensor && in.State != InputSame
		f.Inputs = append(f.Inputs, in)
	}
	return f, nil
}

// formulaInput compares an input with what it was.
func (s *Store) formulaInput(ctx context.Context, was catalog.Input, depth int) (FormulaInput, error) {
	in := FormulaInput{Name: was.Name, Then: was.Version, State: InputSame}
	e, err := s.cat.Lookup(ctx, was.Name)
	if errors.Is(err, ErrNotFound) {
		in.State = InputMissing
		return in, nil
	}
	if err != nil {
		return in, err
	}
	now := input(e)
	in.Now = now.Version
	switch {
	case now != was:
		in.State = InputChanged
	case e.Record.Kind == catalog.KindTensor && depth > 0:
		f, err := s.formula(ctx, e, depth)
		if err != nil {
			return in, err
		}
		if f != nil && f.Stale {
			in.State = InputStale
		}
	}
	return in, nil
}
