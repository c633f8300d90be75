package bind

import (
	"github.com/tstore/tstore/compute/internal/graph"
	"github.com/tstore/tstore/compute/internal/number"
	"github.com/tstore/tstore/compute/internal/term"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// bindIndex binds an operand with an index. Numbers and slices, also computed ones, make a view.
// Arrays and masks make a copy.
func (b *binder) bindIndex(t *term.Term) (value, error) {
	n, err := b.bindTyped(t.Args[0])
	if err != nil {
		return value{}, err
	}

	items, arrays := make(view.Fancy, len(t.Items)), make([]*graph.Node, len(t.Items))
	for i := range t.Items {
		if items[i], arrays[i], err = b.indexItem(&t.Items[i]); err != nil {
			return value{}, err
		}
	}

	// The run itself may compute an array. Its elements are unknown here, so the item holds zeros
	// in its shape, and the gather reads the array when it runs.
	later := n.IsPickedLater(arrays)
	for i, a := range arrays {
		if a == nil {
			continue
		}
		if items[i], err = b.IndexArray(a, later); err != nil {
			return value{}, t.Items[i].Array.At.Wrap(err)
		}
	}

	ix, basic := items.Index()
	switch {
	case basic:
		n, err = b.View(n, view.Chain{view.IndexStep(ix)})
	case later:
		n, err = b.Gather(n, items, arrays)
	default:
		n, err = b.Gather(n, items, nil)
	}
	return value{node: n}, err
}

// Item returns one item of an index. If the item is an array, it returns the array's node in
// array.
func (b *binder) indexItem(it *term.Item) (item view.FancyItem, array *graph.Node, err error) {
	switch {
	case it.IsSpan:
		span, err := b.span(it.Bounds)
		return view.Basic(span), nil, err
	case it.Array == nil:
		return view.Basic(it.Basic), nil, nil
	}

	v, err := b.bind(it.Array)
	if err != nil {
		return item, nil, err
	}

	if v.weak != nil && v.weak.Kind == dtype.KindInt {
		i, err := v.weak.ToInt()
		return view.Basic(view.At(i)), nil, it.Array.At.Wrap(err)
	}

	n, err := b.typed(v)
	if err != nil {
		return item, nil, it.Array.At.Wrap(err)
	}
	if it.Array.Kind == term.List && graph.NumElems(n.Shape) == 0 {
		n = b.Cast(n, dtype.Int64) // as in NumPy, a list of nothing picks nothing
	}

	if kindSetOf(n.DType)&takesWhole == 0 {
		return item, nil, it.Array.At.Errorf("an array of %s elements as an index: expected integers or bools", n.DType)
	}
	return item, n, nil
}

// span returns a slice whose bounds are terms.
func (b *binder) span(bounds [3]*term.Term) (view.Item, error) {
	var given [3]bool
	var at [3]int
	for i, t := range bounds {
		if t == nil || t.Kind == term.None {
			continue
		}
		v, err := b.integer(t)
		if err != nil {
			return view.Item{}, err
		}
		given[i], at[i] = true, v
	}
	return term.Span(given, at), nil
}

// integer returns the value of a term that must be a number without fractions.
func (b *binder) integer(t *term.Term) (int, error) {
	v, err := b.bind(t)
	if err != nil {
		return 0, err
	}
	n, ok := v.constant()
	if !ok || !n.IsInt() {
		return 0, t.At.Errorf("expected an integer")
	}
	i, err := n.ToInt()
	return i, t.At.Wrap(err)
}

// constant returns the number that v is, typed or untyped, and false if v is not a number known at
// bind time.
func (v value) constant() (number.Number, bool) {
	if v.weak != nil {
		return *v.weak, true
	}
	if v.node.Kind != graph.NodeScalar {
		return number.Number{}, false
	}

	return number.FromScalar(v.node.Scalar)
}

// bindList returns an array of the numbers in a list of lists. Its type is dt, or the type in which
// the numbers meet if dt is Invalid.
func (b *binder) bindList(t *term.Term, dt dtype.Type) (value, error) {
	var l listBinder
	if err := l.read(b, t, 0); err != nil {
		return value{}, err
	}

	if !dt.Valid() {
		dt = l.meetingType()
	}

	dst, err := b.NewTensor(dt, l.shape)
	if err != nil {
		return value{}, err
	}
	err = dst.Storage().With(func(bytes []byte) error {
		for i, n := range l.values {
			s, err := n.Converted(dt)
			if err != nil {
				return err
			}
			s.Store(bytes[i*dt.Size():])
		}
		return nil
	})

	return value{node: b.Tensor(dst, t.ListText())}, err
}

// A listBinder collects the numbers of nested lists, all of one length at each depth.
type listBinder struct {
	values []number.Number
	shape  []int
	full   bool // shape is known to its end
}

func (l *listBinder) read(b *binder, t *term.Term, depth int) error {
	if t.Kind != term.List {
		return l.element(b, t, depth)
	}

	if depth == view.MaxRank {
		return t.At.Errorf("lists are nested deeper than %d", view.MaxRank)
	}

	// The first path down sets the shape. All later lists are held to it.
	if depth == len(l.shape) && !l.full {
		l.shape = append(l.shape, len(t.Args))
		l.full = len(t.Args) == 0
	}
	if depth >= len(l.shape) || l.shape[depth] != len(t.Args) {
		return t.At.Errorf("lists beside each other are of one length and depth")
	}

	for _, e := range t.Args {
		if err := l.read(b, e, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// meetingType returns the type in which the numbers meet.
func (l *listBinder) meetingType() dtype.Type {
	if len(l.values) == 0 {
		return dtype.Float64
	}
	values := make([]value, len(l.values))
	for i := range l.values {
		values[i] = value{weak: &l.values[i]}
	}
	return meetingType(values...)
}

func (l *listBinder) element(b *binder, t *term.Term, depth int) error {
	l.full = true
	if depth != len(l.shape) {
		return t.At.Errorf("a number beside a list")
	}
	v, err := b.bind(t)
	if err != nil {
		return err
	}
	n, ok := v.constant()
	if !ok {
		return t.At.Errorf("a list holds numbers only")
	}
	l.values = append(l.values, n)
	return nil
}
