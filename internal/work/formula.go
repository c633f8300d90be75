package work

import (
	"context"
	"errors"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/store"
)

// Formula is what a lazy name stands for, or what a materialised tensor was computed from.
type Formula struct {
	Text   string
	Inputs []FormulaInput
	Stale  bool
	Edited bool
}

// FormulaInput is one name that an expression reads.
type FormulaInput struct {
	Name      string
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

// Formula describes the expression of a lazy name, or of a tensor that Materialize made, and what
// has changed since.
func (s *Store) Formula(ctx context.Context, name string) (*Formula, error) {
	e, err := s.Lookup(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.formula(ctx, name, e, map[string]bool{name: false})
}

// formula describes the formula of source, such as "x" or "x@monday". stale holds what is known of
// materialised tensors: each is compared once, however many depend on it.
func (s *Store) formula(ctx context.Context, source string, e *catalog.Entry, stale map[string]bool) (*Formula, error) {
	if e.Record.Formula.IsZero() {
		return nil, nil
	}

	tensor := e.Record.Kind == catalog.KindTensor
	f := &Formula{Text: e.Record.Formula.Text, Edited: tensor && record.Changes(&e.Record, &e.Storage) > 0}
	f.Stale = f.Edited

	// A formula in a snapshot reads the names of that snapshot.
	_, snapshot, _ := strings.Cut(source, "@")
	for _, was := range e.Record.Formula.Inputs {
		if snapshot != "" && !strings.Contains(was.Name, "@") {
			was.Name += "@" + snapshot
		}
		in, err := s.formulaInput(ctx, was, stale)
		if err != nil {
			return nil, err
		}
		f.Stale = f.Stale || tensor && in.State != InputSame
		f.Inputs = append(f.Inputs, in)
	}
	return f, nil
}

// formulaInput compares an input with what it was when the formula was computed.
func (s *Store) formulaInput(ctx context.Context, was catalog.Input, stale map[string]bool) (FormulaInput, error) {
	in := FormulaInput{Name: was.Name, Then: was.Version, State: InputSame}
	e, err := s.EntryOf(ctx, was.Name)
	if errors.Is(err, store.ErrNotFound) {
		in.State = InputMissing
		return in, nil
	}
	if err != nil {
		return in, err
	}

	now := input(was.Name, e)
	in.Now = now.Version

	// An input that has not changed is still stale if an input of its own has.
	switch {
	case now != was:
		in.State = InputChanged
	case e.Record.Kind == catalog.KindTensor:
		old, err := s.isStale(ctx, was.Name, e, stale)
		if err != nil {
			return in, err
		}
		if old {
			in.State = InputStale
		}
	}
	return in, nil
}

func (s *Store) isStale(ctx context.Context, name string, e *catalog.Entry, stale map[string]bool) (bool, error) {
	if known, ok := stale[name]; ok {
		return known, nil
	}
	stale[name] = false // for tensors that depend on each other
	f, err := s.formula(ctx, name, e, stale)
	if f != nil {
		stale[name] = f.Stale
	}
	return stale[name], err
}
