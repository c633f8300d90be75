package compute

import (
	"slices"

	"github.com/tstore/tstore/dtype"
)

// Names returns the names that e has a meaning by, each once, in the order in which the text of e
// has them.
func (e Expr) Names() []string {
	var names []string
	_ = e.Substitute(func(name string) (Expr, bool) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return Expr{}, false
	})
	return names
}

// Substitute returns e with names replaced by expressions: by with's result where that is true.
// Names in the replacements stay as they are.
func (e Expr) Substitute(with func(name string) (Expr, bool)) Expr {
	s := substitution{with: with, done: map[*term]*term{}}
	return Expr{s.term(e.term)}
}

// Variable is the expression for the user variable v. A bool, int64, float64 or complex128 is a
// number without a type. Any other type is kept.
func Variable(v dtype.Scalar) Expr {
	switch v := v.Any().(type) {
	case bool, int64, float64, complex128:
		return Scalar(v)
	}
	return Typed(v)
}

// substitution is a Substitute at work. Terms without names are shared.
type substitution struct {
	with func(name string) (Expr, bool)
	done map[*term]*term
}

func (s *substitution) term(t *term) *term {
	if t == nil {
		return nil
	}
	if changed, ok := s.done[t]; ok {
		return changed
	}
	changed := s.change(t)
	s.done[t] = changed
	return changed
}

func (s *substitution) change(t *term) *term {
	if t.kind == termName {
		if e, ok := s.with(t.name); ok {
			return e.term
		}
		return t
	}
	args, changedArgs := s.terms(t.args, dtypeArg(t))
	items, changedItems := s.items(t.items)
	if !changedArgs && !changedItems {
		return t
	}
	c := *t
	c.args, c.items = args, items
	return &c
}

// dtypeArg is the argument of a call that names a type, where a word is no name of a tensor; or -1.
func dtypeArg(t *term) int {
	if t.kind != termCall {
		return -1
	}
	i := t.fn.param("dtype")
	if i < 0 || t.args[i] == nil || t.args[i].kind != termName {
		return -1
	}
	return i
}

// terms changes all terms but that of number except.
func (s *substitution) terms(terms []*term, except int) ([]*term, bool) {
	changed := slices.Clone(terms)
	for i, t := range terms {
		if i != except {
			changed[i] = s.term(t)
		}
	}
	return changed, !slices.Equal(changed, terms)
}

func (s *substitution) items(items []indexItem) ([]indexItem, bool) {
	changed := slices.Clone(items)
	any := false
	for i := range changed {
		it := &changed[i]
		it.array = s.term(it.array)
		bounds, moved := s.terms(it.bounds[:], -1)
		copy(it.bounds[:], bounds)
		any = any || moved || it.array != items[i].array
	}
	return changed, any
}
