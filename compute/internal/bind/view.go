package bind

import (
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/view"
)

// bindView returns the operand of a termView as its step shows it.
func (b *binder) bindView(t *term.Term) (value, error) {
	n, err := b.bindTyped(t.Args[0])
	if err != nil {
		return value{}, err
	}
	n, err = b.View(n, t.Step)
	return value{node: n}, err
}

// LookupTensor finds the tensors that are named between the brackets of a step.
func (b *binder) LookupTensor(name string) (*view.Tensor, error) {
	v, err := b.name(name)
	if err != nil {
		return nil, err
	}
	n, err := b.typed(v)
	if err != nil {
		return nil, err
	}
	return b.Stored(n)
}
