package compute

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// bindIndex returns the elements of the operand that items pick. Variables in the place of numbers make a view of
// it, arrays and masks a copy.
func (b *binder) bindIndex(t *term) (value, error) {
	v, err := b.bind(t.args[0])
	if err != nil {
		return value{}, err
	}
	n, err := b.typed(v)
	if err != nil {
		return value{}, err
	}
	items := make(view.Fancy, len(t.items))
	for i := range t.items {
		if items[i], err = b.indexItem(&t.items[i]); err != nil {
			return value{}, err
		}
	}
	if ix, basic := items.Index(); basic {
		n, err = b.view(n, view.Chain{view.IndexStep(ix)})
	} else {
		n, err = b.gather(n, items)
	}
	return value{node: n}, err
}

// indexItem returns one item of an index.
func (b *binder) indexItem(it *indexItem) (view.FancyItem, error) {
	switch {
	case it.isSpan:
		span, err := b.span(it.bounds)
		return view.Basic(span), err
	case it.array == nil:
		return view.Basic(it.basic), nil
	}
	v, err := b.bind(it.array)
	if err != nil {
		return view.FancyItem{}, err
	}
	if v.weak != nil && v.weak.kind == dtype.KindInt {
		i, err := v.weak.int()
		return view.Basic(view.At(i)), it.array.at.wrap(err)
	}
	n, err := b.typed(v)
	if err != nil {
		return view.FancyItem{}, it.array.at.wrap(err)
	}
	if kindSetOf(n.dtype)&takesWhole == 0 {
		return view.FancyItem{}, it.array.at.errorf("an array of %s elements as an index: expected integers or bools", n.dtype)
	}
	t, err := b.stored(n)
	if err != nil {
		return view.FancyItem{}, it.array.at.wrap(err)
	}
	if n.dtype == dtype.Bool {
		return view.BoolArray(t), nil
	}
	return view.IntArray(t), nil
}

// span returns a slice whose bounds are terms.
func (b *binder) span(bounds [3]*term) (view.Item, error) {
	var given [3]bool
	var at [3]int
	for i, t := range bounds {
		if t == nil || t.kind == termNone {
			continue
		}
		v, err := b.integer(t)
		if err != nil {
			return view.Item{}, err
		}
		given[i], at[i] = true, v
	}
	return spanOf(given, at), nil
}

// integer returns the value of a term that must be a number without fractions.
func (b *binder) integer(t *term) (int, error) {
	v, err := b.bind(t)
	if err != nil {
		return 0, err
	}
	n, ok := v.constant()
	if !ok || !n.isInt() {
		return 0, t.at.errorf("expected an integer")
	}
	i, err := n.int()
	return i, t.at.wrap(err)
}

// constant returns a value that is a number, with or without a type.
func (v value) constant() (number, bool) {
	if v.weak != nil {
		return *v.weak, true
	}
	if v.node.kind != nodeScalar {
		return number{}, false
	}
	s := v.node.scalar
	switch s.Type().Kind() {
	case dtype.KindBool:
		return numberOf(s)
	case dtype.KindInt, dtype.KindUint:
		i, err := wholeNumber(s)
		return intNumber(i), err == nil
	case dtype.KindFloat:
		return numberOf(s.Convert(dtype.Float64))
	}
	return numberOf(s.Convert(dtype.Complex128))
}

// int returns n, which is an integer, as an int.
func (n number) int() (int, error) {
	if !n.i.IsInt64() {
		return 0, errors.New("an integer must fit in 64 bits here")
	}
	return int(n.i.Int64()), nil
}

// newTensor returns a packed tensor that the program owns.
func (b *binder) newTensor(t dtype.Type, shape []int) (*view.Tensor, error) {
	l, err := view.NewLayout(shape...)
	if err != nil {
		return nil, err
	}
	if l.NumElems() > maxBytes/t.Size() {
		return nil, fmt.Errorf("shape %s of %s is more than can be addressed", formatShape(shape), t)
	}
	st, err := b.newStorage(int64(l.NumElems()) * int64(t.Size()))
	if err != nil {
		return nil, err
	}
	dst, err := view.NewTensor(st, t, l)
	if err = errors.Join(err, st.Release()); err != nil {
		return nil, err
	}
	b.out.owned = append(b.out.owned, dst)
	return dst, nil
}

const maxBytes = 1<<63 - 1

// bindList returns an array of the numbers in a list of lists.
func (b *binder) bindList(t *term) (value, error) {
	var l listBinder
	if err := l.read(b, t, 0); err != nil {
		return value{}, err
	}
	values := make([]value, len(l.values))
	for i := range l.values {
		values[i] = value{weak: &l.values[i]}
	}
	dt := dtype.Float64
	if len(values) > 0 {
		dt = meetingType(values...)
	}
	dst, err := b.newTensor(dt, l.shape)
	if err != nil {
		return value{}, err
	}
	err = dst.Storage().With(func(bytes []byte) error {
		for i, n := range l.values {
			s, err := n.as(dt)
			if err != nil {
				return err
			}
			s.Store(bytes[i*dt.Size():])
		}
		return nil
	})
	return value{node: b.tensor(dst, t.listText())}, err
}

// A listBinder collects the numbers of nested lists, all of one length at each depth.
type listBinder struct {
	values []number
	shape  []int
	full   bool // shape is known to its end
}

func (l *listBinder) read(b *binder, t *term, depth int) error {
	if t.kind != termList {
		return l.element(b, t, depth)
	}
	if depth == view.MaxRank {
		return t.at.errorf("lists are nested deeper than %d", view.MaxRank)
	}
	if depth == len(l.shape) && !l.full {
		l.shape = append(l.shape, len(t.args))
		l.full = len(t.args) == 0
	}
	if depth >= len(l.shape) || l.shape[depth] != len(t.args) {
		return t.at.errorf("lists beside each other are of one length and depth")
	}
	for _, e := range t.args {
		if err := l.read(b, e, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (l *listBinder) element(b *binder, t *term, depth int) error {
	l.full = true
	if depth != len(l.shape) {
		return t.at.errorf("a number beside a list")
	}
	v, err := b.bind(t)
	if err != nil {
		return err
	}
	n, ok := v.constant()
	if !ok {
		return t.at.errorf("a list holds numbers only")
	}
	l.values = append(l.values, n)
	return nil
}
