package bind

import (
	"math/big"
	"slices"
	"strings"

	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/view"
)

// numbered returns a call with numbers in the place of the names of axes, so that functions see
// numbers only. Most calls name no axis, and are returned as they are.
func (b *binder) numbered(t *term.Term) (*term.Term, error) {
	key := b.key(t)
	if known := b.calls[key]; known != nil {
		return known, nil
	}

	given := t
	for i, arg := range t.Args {
		if !strings.HasPrefix(t.Fn.Params[i].Name, "axis") || !namesAxes(arg) {
			continue
		}

		dims, err := b.namedBy(t)
		if err != nil {
			return nil, err
		}
		if arg, err = axisNumbers(arg, dims); err != nil {
			return nil, err
		}

		// Terms are shared: change a copy.
		changed := *t
		changed.Args = slices.Clone(t.Args)
		changed.Args[i] = arg
		t = &changed
	}

	// Whoever asks for the names of axes asks again, at each call around this one.
	if t != given {
		if b.calls == nil {
			b.calls = map[termKey]*term.Term{}
		}
		b.calls[key] = t
	}
	return t, nil
}

// namesAxes reports whether an argument is the name of an axis, or several that may be names.
func namesAxes(arg *term.Term) bool {
	if arg == nil {
		return false
	}
	return arg.Kind == term.Text || (arg.Kind == term.Tuple || arg.Kind == term.List) && slices.ContainsFunc(arg.Args, namesAxes)
}

// namedBy returns the names of the axes of the array that a call's axes are of: its first argument,
// or the first of those that it joins.
func (b *binder) namedBy(t *term.Term) ([]string, error) {
	operand := t.Args[0]
	if t.Fn.Name == "stack" {
		return nil, t.At.Errorf("stack adds an axis, which has no name: expected its number")
	}
	if rowOf(t.Fn).topic == topicJoining && operand != nil && len(operand.Args) > 0 && (operand.Kind == term.Tuple || operand.Kind == term.List) {
		operand = operand.Args[0]
	}

	n, err := b.bindTyped(operand)
	if err != nil {
		return nil, err
	}
	dims := b.axisNames(operand)
	if dims == nil {
		dims = make([]string, len(n.Shape))
	}
	return dims, nil
}

// axisNumbers returns an argument with numbers in the place of names. They count from the end, as
// operands that are broadcast with one another have their last axes in common.
func axisNumbers(arg *term.Term, dims []string) (*term.Term, error) {
	changed := *arg
	if arg.Kind == term.Text {
		axis, err := view.FindAxis(dims, arg.Name)
		if err != nil {
			return nil, arg.At.Wrap(err)
		}
		changed.Kind, changed.Name, changed.Number = term.Number, "", number.Int(big.NewInt(int64(axis-len(dims))))
		return &changed, nil
	}

	changed.Args = slices.Clone(arg.Args)
	for i, e := range arg.Args {
		if !namesAxes(e) {
			continue
		}
		var err error
		if changed.Args[i], err = axisNumbers(e, dims); err != nil {
			return nil, err
		}
	}
	return &changed, nil
}
