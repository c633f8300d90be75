package bind

import (
	"errors"
	"math/big"
	"sync"

	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/compute/internal/term"
)

// defined binds a function that is written in the language itself. Names in the text are parameters.
func defined(text string) func(b *binder, c *call) (value, error) {
	return func(b *binder, c *call) (value, error) { return b.write(c, text, nil) }
}

// given is what names in the text of a function stand for, beside its parameters.
type given map[string]value

// texts are the terms of texts that functions are written in.
var texts sync.Map

// write binds a text that a function is written in: names of parameters stand for the arguments of
// the call, and others for what is given. A mistake is one in the call, not in the text.
func (b *binder) write(c *call, text string, others given) (value, error) {
	body, err := written(text)
	if err != nil {
		return value{}, err
	}

	// Arguments that are left out are what the signature says.
	with := map[string]*term.Term{}
	for i, p := range c.t.Fn.Params {
		if with[p.Name] = c.t.Args[i]; c.t.Args[i] == nil {
			if with[p.Name], err = written(p.Text); err != nil {
				return value{}, err
			}
		}
	}
	for name, v := range others {
		with[name] = b.termOf(v)
	}

	v, err := b.bind(body.Substitute(func(name string) (*term.Term, bool) {
		t, ok := with[name]
		return t, ok
	}))
	if placed, ok := errors.AsType[*term.Error](err); ok && placed.Text == text {
		err = placed.Err
	}
	return v, err
}

// written returns the term of a text of this package.
func written(text string) (*term.Term, error) {
	if t, ok := texts.Load(text); ok {
		return t.(*term.Term), nil
	}
	t, err := known.Parse(text)
	if err != nil {
		return nil, errors.New("BUG: " + err.Error())
	}
	made, _ := texts.LoadOrStore(text, t)
	return made.(*term.Term), nil
}

// termOf returns a term that stands for a value in the statement that is being bound.
func (b *binder) termOf(v value) *term.Term {
	t := &term.Term{}
	b.memo[termKey{t, len(b.lazy) > 0}] = v
	return t
}

// weakInt returns a number without a type.
func weakInt(n int) value {
	v := number.Int(big.NewInt(int64(n)))
	return value{weak: &v}
}

// valueOf returns a node as a value.
func valueOf(n *graph.Node) value { return value{node: n} }
