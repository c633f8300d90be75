package term

import "slices"

// Substitute returns t with names replaced by terms: by with's result where that is true. Names in
// the replacements stay as they are.
func (t *Term) Substitute(with func(name string) (*Term, bool)) *Term {
	s := substitution{with: with, done: map[*Term]*Term{}}
	return s.term(t)
}

// Names returns the names that t has a meaning by, each once, in the order in which its text has
// them.
func (t *Term) Names() []string {
	var names []string
	t.Substitute(func(name string) (*Term, bool) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		return nil, false
	})
	return names
}

// substitution is a Substitute at work. a Substitute at work. Terms without names are shared.
type substitution struct {
	with func(name string) (*Term, bool)
	done map[*Term]*Term
}

func (s *substitution) term(t *Term) *Term {
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

func (s *substitution) change(t *Term) *Term {
	if t.Kind == Name {
		if by, ok := s.with(t.Name); ok {
			return by
		}
		return t
	}
	args, changedArgs := s.terms(t.Args, dtypeArg(t))
	items, changedItems := s.items(t.Items)
	if !changedArgs && !changedItems {
		return t
	}
	c := *t
	c.Args, c.Items = args, items
	return &c
}

// dtypeArg is the argument of a call that names a type, where a word is no name of a tensor; or -1.
func dtypeArg(t *Term) int {
	if t.Kind != Call {
		return -1
	}
	i := t.Fn.Param("dtype")
	if i < 0 || t.Args[i] == nil || t.Args[i].Kind != Name {
		return -1
	}
	return i
}

// terms changes all terms but that of number except.
func (s *substitution) terms(terms []*Term, except int) ([]*Term, bool) {
	changed := slices.Clone(terms)
	for i, t := range terms {
		if i != except {
			changed[i] = s.term(t)
		}
	}
	return changed, !slices.Equal(changed, terms)
}

func (s *substitution) items(items []Item) ([]Item, bool) {
	changed := slices.Clone(items)
	any := false
	for i := range changed {
		it := &changed[i]
		it.Array = s.term(it.Array)
		bounds, moved := s.terms(it.Bounds[:], -1)
		copy(it.Bounds[:], bounds)
		any = any || moved || it.Array != items[i].Array
	}
	return changed, any
}
