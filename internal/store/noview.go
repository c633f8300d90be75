package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/view"
)

// noViewError is the error of an expression where a view of a tensor is needed.
type noViewError struct {
	text    string
	missing bool  // the text could be a name
	err     error // what is wrong with it as a selector
}

func (e *noViewError) Error() string {
	if e.missing {
		return fmt.Sprintf("%q not found, and as an expression it is computed, and no view of a tensor", e.text)
	}
	return fmt.Sprintf("%q is computed, and no view of a tensor", e.text)
}

// Unwrap makes it view.ErrNeedsCopy, and what the selector was.
func (e *noViewError) Unwrap() []error { return []error{view.ErrNeedsCopy, e.err} }

// noView returns a noViewError if a text that was read as a selector is an expression. Otherwise it
// returns err as it is.
func (s *Store) noView(ctx context.Context, text string, err error) error {
	if err == nil {
		return nil
	}

	// Only these errors can come from reading an expression as a selector.
	_, syntax := errors.AsType[*view.SyntaxError](err)
	missing := errors.Is(err, ErrNotFound)
	if !missing && !syntax && !errors.Is(err, catalog.ErrBadName) {
		return err
	}
	if _, said := errors.AsType[*noViewError](err); said {
		return err
	}

	if s.Expressions == nil || !s.Expressions.IsExpression(ctx, s, text) {
		return err
	}
	return &noViewError{text: text, missing: missing, err: err}
}

// viewError is the error of a commit that finds nothing of which a view is to get a name.
type viewError struct {
	step, name, text string
	err              error
}

func (e *viewError) Error() string { return e.err.Error() }

func (e *viewError) Unwrap() error { return e.err }

// explain returns err, which e is in, or if the text is an expression the error that says so.
func (e *viewError) explain(ctx context.Context, s *Store, err error) error {
	named := s.notNamed(ctx, e.name, e.text, err)
	if _, ok := errors.AsType[*noViewError](named); ok {
		return fmt.Errorf("%s%w", e.step, named)
	}
	return err
}

// notWritten returns the error of a text that was to be written: that of noView, and that what it
// stands for can't be written.
func (s *Store) notWritten(ctx context.Context, text string, err error) error {
	err = s.noView(ctx, text, err)
	if _, ok := errors.AsType[*noViewError](err); ok {
		return fmt.Errorf("%w: it cannot be written", err)
	}
	return err
}

// notNamed returns the error of a text that was to get a name: that of noView, and which commands
// give one.
func (s *Store) notNamed(ctx context.Context, name, text string, err error) error {
	if _, said := errors.AsType[*noViewError](err); said {
		return err
	}
	err = s.noView(ctx, text, err)
	if _, ok := errors.AsType[*noViewError](err); ok {
		target := compute.Name(name)
		return fmt.Errorf("%w: tstore eval '%s = %s' (Store.Eval) makes a tensor of it, tstore define %s '%s' (Store.Define) a lazy name", err, target, text, name, text)
	}
	return err
}
