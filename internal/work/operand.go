package work

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/syntax"
	"github.com/tstore/tstore/view"
)

// operand is what a text stands for that is read: what a selector selects, or an expression.
type operand struct {
	text string
	sel  store.Selector // the zero Selector of an expression
	// expr is what the text makes, and isExpr says that it is no selector.
	expr   compute.Expr
	isExpr bool
}

func selectorOperand(sel store.Selector) operand {
	return operand{text: sel.String(), sel: sel, expr: selected(sel)}
}

// wrap adds the text to an error that does not say it.
func (op operand) wrap(err error) error {
	var placed *compute.ExprError
	if op.isExpr && errors.As(err, &placed) {
		return err
	}
	return fmt.Errorf("%s: %w", op.text, err)
}

// operand reads a text. This is the one rule of all that reads elements:
//
//   - a text that names a tensor as it stands is that tensor, whatever characters the name has,
//   - a selector is what it selects, if its names are all there,
//   - anything else is an expression. A name that it begins with, and that indexes and methods
//     alone follow, needs no back quotes: "weather/t2m.mean()".
//
// Of a text that is none of them, the likelier reading says what is wrong, here or when it is read.
func (s *Store) operand(ctx context.Context, text string) (operand, error) {
	sel, selErr := s.Resolve(ctx, text)
	if selErr == nil {
		there, err := s.haveAll(ctx, selected(sel).Names())
		if err != nil || there {
			return selectorOperand(sel), err
		}
	}

	// A name alone that looks like a number, such as 2021-12, is a name that is not there.
	expr, exprErr := s.parseComputed(ctx, text)
	computed := operand{text: text, expr: expr, isExpr: true}
	if _, misread := errors.AsType[*compute.ExprError](exprErr); exprErr != nil && !misread {
		return operand{}, exprErr // a lookup that failed says nothing about the text
	}
	if exprErr == nil && (selErr != nil || len(expr.Names()) > 0) {
		there, err := s.haveAll(ctx, expr.Names())
		if err != nil {
			return operand{}, err
		}

		// A selector's name may have come since it was looked for.
		if there && selErr == nil && slices.Equal(expr.Names(), selected(sel).Names()) {
			return selectorOperand(sel), nil
		}
		if there {
			return computed, nil
		}
	}

	if likelySelector(text, sel, selErr, exprErr) {
		return selectorOperand(sel), selErr
	}
	return computed, errors.Join(exprErr, s.mustQuote(ctx, text, expr))
}

// operators are characters that are more likely to be operators than part of a name.
const operators = "+*<>=&|^~%"

// likelySelector guesses what a text was meant to be that is neither a selector of something that
// is there nor an expression. It returns an error if the text can't be parsed so.
func likelySelector(text string, sel store.Selector, selErr, exprErr error) bool {
	marks := operators
	if exprErr == nil {
		marks += " "
	}
	switch {
	case selErr == nil && exprErr != nil && faultPosition(text, exprErr) == len(text):
		return false // it lacks its end
	case selErr == nil:
		return !strings.ContainsAny(strings.Join(selected(sel).Names(), ""), marks)
	case errors.Is(selErr, catalog.ErrBadName):
		return !strings.ContainsAny(text, operators+" ([`")
	}
	return exprErr != nil && faultPosition(text, selErr) >= faultPosition(text, exprErr)
}

// faultPosition returns how far a parser came that ended with an error.
func faultPosition(text string, err error) int {
	var methods *view.SyntaxError
	var placed *compute.ExprError
	switch {
	case errors.As(err, &methods):
		return len(text) - len(methods.Text) + methods.Pos
	case errors.As(err, &placed):
		return len(text) - len(placed.Text) + placed.Pos
	}
	return 0
}

// mustQuote returns the error of expr, the expression that text is, if a name stands in it without
// the back quotes that it needs.
func (s *Store) mustQuote(ctx context.Context, text string, expr compute.Expr) error {
	first := true
	for name := range syntax.Bare(text, operators) {
		// Only a name that the text begins with is read without quotes.
		leads := first && strings.HasPrefix(text, name)
		first = false
		if leads && slices.Contains(expr.Names(), name) {
			continue
		}

		quoted := compute.Name(name).String()
		if there, err := s.have(ctx, name); err != nil || !there || quoted == name || isNumber(name) {
			continue
		}
		return fmt.Errorf("%q is not found as a name, and as an expression it needs back quotes around the name %s", text, quoted)
	}
	return nil
}

// isNumber reports whether an expression reads a name as a number, such as 1, 0x10 or e.
func isNumber(name string) bool {
	expr, err := compute.Parse(name)
	return err == nil && len(expr.Names()) == 0 && !strings.Contains(expr.String(), " ")
}

// haveAll reports whether there is something of each name, which may be in a snapshot. What stands
// in the brackets of a selector may be a selector itself.
func (s *Store) haveAll(ctx context.Context, names []string) (bool, error) {
	for _, name := range names {
		there, err := s.have(ctx, name)
		if part, bad := store.ParseSelector(name); !there && err == nil && bad == nil && !part.Whole() {
			there, err = s.have(ctx, part.Source())
		}
		if !there || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (s *Store) have(ctx context.Context, source string) (bool, error) {
	if !store.IsSource(source) {
		return false, s.Engine.CheckOpen()
	}
	_, err := s.EntryOf(ctx, source)
	return store.Found(err)
}

// parseComputed parses an expression. It may begin as a selector does, with a name without quotes
// or a name in a snapshot.
func (s *Store) parseComputed(ctx context.Context, text string) (compute.Expr, error) {
	expr, err := compute.Parse(text)
	names := leadingNames(text)

	// A name that is there wins over the reading of its text as an expression.
	for _, name := range names {
		there, err := s.have(ctx, name)
		if err != nil {
			return compute.Expr{}, err
		}
		if there {
			return parseFrom(name, text)
		}
	}

	if len(names) == 0 || err != nil {
		return expr, err
	}
	// If none of the parts is there, the whole name is missing: a/b.mean().
	for _, name := range expr.Names() {
		if there, err := s.have(ctx, name); there || err != nil {
			return expr, err
		}
	}
	return parseFrom(names[0], text)
}

// parseFrom parses an expression that begins with a name as it stands.
func parseFrom(name, text string) (compute.Expr, error) {
	sel, err := store.ParseSource(name)
	if err != nil {
		return compute.Expr{}, err
	}
	expr, err := compute.Parse(compute.Name(name).String() + text[len(name):])
	return readAt(sel, expr), err
}

// leadingNames returns the names that a text may begin with of which only indexes and methods
// follow, the longest first.
func leadingNames(text string) (names []string) {
	for name := range syntax.Cuts(text) {
		if name != text && store.IsSource(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 || !isChain(text[len(names[0]):]) {
		return nil
	}
	return names
}

// isChain reports whether a text is indexes, methods and attributes alone. One with a mistake
// between brackets is so, too.
func isChain(text string) bool {
	tree := syntax.Steps(text, false)
	defer tree.Free()
	return tree.Err == nil || tree.Err.In != syntax.Chain && tree.Err.In != syntax.Attribute
}
