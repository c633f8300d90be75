package bind

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// bind returns the value of a term. Its errors carry the position of the faulty term.
func (b *binder) bind(t *term.Term) (value, error) {
	if t == nil {
		return value{}, errors.New("an empty expression")
	}

	key := b.key(t)
	if v, ok := b.memo[key]; ok {
		return v, nil
	}

	if b.depth++; b.depth > maxTermDepth {
		return value{}, t.At.Errorf("an expression of more than %d levels", maxTermDepth)
	}

	v, err := b.bindTerm(t)
	b.depth--
	if err == nil && b.NumNodes() > maxNodes {
		err = fmt.Errorf("an expression of more than %d steps", maxNodes)
	}
	if err != nil {
		return value{}, t.At.Wrap(err)
	}

	b.memo[key] = v
	return v, nil
}

// key returns the key of a term where the binder is. A term inside a lazy name has one of its own:
// variables do not reach in there.
func (b *binder) key(t *term.Term) termKey { return termKey{t, len(b.lazy) > 0} }

func (b *binder) bindTerm(t *term.Term) (value, error) {
	switch t.Kind {
	case term.Number:
		return value{weak: &t.Number}, nil
	case term.Typed:
		return value{node: b.Scalar(t.Scalar)}, nil
	case term.Tensor:
		return b.tensorValue(t.Tensor)
	case term.Name:
		return b.name(t.Name)
	case term.Call:
		return b.bindCall(t)
	case term.View:
		return b.bindView(t)
	case term.Index:
		return b.bindIndex(t)
	case term.List:
		return b.bindList(t, dtype.Invalid)
	case term.Tuple:
		return value{}, errors.New("a tuple is an argument, no operand: write a list in brackets for an array")
	case term.Text:
		return value{}, fmt.Errorf("%q is text, no operand", t.Name)
	case term.None:
		return value{}, errors.New("expected an operand, found None")
	case term.Mistake:
		return value{}, t.Err
	}
	panic("BUG: a term of no kind")
}

func (b *binder) bindCall(t *term.Term) (value, error) {
	t, err := b.numbered(t)
	if err != nil {
		return value{}, err
	}
	return rowOf(t.Fn).bind(b, &call{b: b, t: t})
}

func (b *binder) tensorValue(t *view.Tensor) (value, error) {
	own, err := b.Retained(t)
	if err != nil {
		return value{}, err
	}
	return value{node: b.Tensor(own, "")}, nil
}

// name returns the value of a name. Names made by earlier statements come first, then variables,
// targets, lazy names and stored tensors.
func (b *binder) name(name string) (value, error) {
	if m := b.scope[name]; m != nil {
		n, err := b.kept(m)
		return value{node: n}, err
	}

	if s, ok := b.names.Vars[name]; ok && len(b.lazy) == 0 {
		if n, weak := number.Of(s); weak {
			return value{weak: &n}, nil
		}
		return value{node: b.Scalar(s)}, nil
	}

	if t := b.targets[name]; t != nil {
		return value{node: b.Tensor(t, name)}, nil
	}

	v, found, err := b.expand(name)
	if found || err != nil {
		return v, err
	}

	t, err := b.lookup(name)
	if err != nil {
		return value{}, err
	}
	return value{node: b.Tensor(t, name)}, nil
}

// lookup returns the tensor of a name. The environment is asked once for each name.
func (b *binder) lookup(name string) (*view.Tensor, error) {
	if t := b.found[name]; t != nil {
		return t, nil
	}

	if b.names.Lookup == nil {
		return nil, fmt.Errorf("there is no %q", name)
	}
	t, err := b.names.Lookup(name)
	if err == nil {
		t, err = b.Retained(t)
	}
	if err != nil {
		return nil, fmt.Errorf("look up %q: %w", name, err)
	}

	b.found[name] = t
	b.dimmed = b.dimmed || b.hasDims(name)
	return t, nil
}

// kept returns the value of a name that a statement has made: as it was before anything it reads is
// overwritten.
func (b *binder) kept(m *made) (*graph.Node, error) {
	if m.overwritten == 0 {
		return m.value, nil
	}
	l, err := view.NewLayout(m.value.Shape...)
	if err != nil {
		return nil, err
	}
	writer := &b.Program().Statements[m.overwritten-1]
	writer.Keeps = append(writer.Keeps, m.value)
	m.value, m.overwritten = b.ViewOf(m.value, l), 0
	return m.value, nil
}

// expand returns the value of a lazy name.
func (b *binder) expand(name string) (v value, found bool, err error) {
	if b.names.Expand == nil || b.found[name] != nil {
		return value{}, false, nil
	}

	if v, ok := b.expanded[name]; ok {
		return v, true, nil
	}

	t, ok, err := b.names.Expand(name)
	if err != nil {
		return value{}, false, fmt.Errorf("look up %q: %w", name, err)
	}
	if !ok {
		return value{}, false, nil
	}

	if slices.Contains(b.lazy, name) {
		return value{}, true, fmt.Errorf("%q is defined by itself: %s", name, strings.Join(append(b.lazy, name), " → "))
	}
	if len(b.lazy) == maxLazyDepth {
		return value{}, true, fmt.Errorf("lazy names defined by one another, more than %d deep", maxLazyDepth)
	}

	// lazy is the path of names that are being expanded. It finds cycles.
	b.lazy = append(b.lazy, name)
	v, err = b.bind(t)
	b.lazy = b.lazy[:len(b.lazy)-1]

	if err == nil && v.node == nil {
		v.node, err = b.typed(v)
		v.weak = nil
	}
	if err != nil {
		return value{}, true, fmt.Errorf("%q: %w", name, err)
	}

	b.expanded[name] = v
	b.dimmed = b.dimmed || b.hasDims(name)
	return v, true, nil
}
