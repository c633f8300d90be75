package model

import (
	"errors"
	"slices"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// Changes of elements, of tensors and of those that share them.

var errNoAxis = errors.New("the tensor has no axis to grow along")

// appends adds rows. A tensor that is the whole of its buffer grows there, with its views at its
// side; another one gets a buffer of its own.
func (s *state) appends(st step) error {
	o, b, err := s.tensor(st.Name)
	if err != nil {
		return err
	}
	if len(o.shape) == 0 {
		return errNoAxis
	}
	added := st.Shape
	if len(added) == len(o.shape)-1 {
		added = slices.Concat([]int{1}, added)
	}
	if st.DType != b.dtype || len(added) != len(o.shape) || !slices.Equal(added[1:], o.shape[1:]) {
		return errShapes
	}
	return s.grow(st.Name, added[0], counting(b.dtype, added, st.First).elems)
}

func (s *state) grow(name string, rows int, more []int64) error {
	old := s.names[name]
	b := s.bufs[old.buf]
	if err := s.readable(b); err != nil {
		return err
	}
	shape := slices.Clone(old.shape)
	shape[0] += rows
	if !s.whole(old) {
		sealed := b.sealed
		if err := s.renew(name, value{dtype: b.dtype, shape: shape, elems: slices.Concat(s.shows(old).elems, more)}, ""); err != nil {
			return err
		}
		s.bufs[s.names[name].buf].sealed = sealed
		return nil
	}
	b.vals, b.shape, b.fortran = slices.Concat(b.vals, more), shape, false
	o := *old
	o.shape, o.at, o.made = shape, upTo(len(b.vals)), nil
	s.put(name, &o)
	return nil
}

func (s *state) resize(st step) error {
	old, b, err := s.tensor(st.Name)
	if err != nil {
		return err
	}
	if len(old.shape) != len(st.Shape) {
		return errShapes
	}
	if b.sealed {
		return tstore.ErrSealed
	}
	for axis, n := range old.shape {
		if st.Flag && n > st.Shape[axis] && count(old.shape) > 0 {
			return tstore.ErrDrops
		}
	}
	onlyFirst := len(st.Shape) > 0 && slices.Equal(st.Shape[1:], old.shape[1:])
	if onlyFirst && st.Shape[0] <= old.shape[0] {
		if b.file != "" && s.adopted[b.file] > 0 {
			return tstore.ErrChanged
		}
		o := *old
		o.shape, o.at, o.made = st.Shape, old.at[:count(st.Shape)], nil
		s.put(st.Name, &o)
		return nil
	}
	if onlyFirst && s.whole(old) {
		return s.grow(st.Name, st.Shape[0]-old.shape[0], make([]int64, count(st.Shape)-count(old.shape)))
	}
	if err := s.readable(b); err != nil {
		return err
	}
	v := constant(b.dtype, st.Shape, 0)
	from := s.shows(old)
	for i := range v.elems {
		if at, ok := sameIndex(i, st.Shape, old.shape); ok {
			v.elems[i] = from.elems[at]
		}
	}
	return s.renew(st.Name, v, "")
}

// sameIndex is where the element of one shape has its index in another of the same rank.
func sameIndex(i int, shape, other []int) (at int, ok bool) {
	unit := 1
	for axis := len(shape) - 1; axis >= 0; axis-- {
		k := i % shape[axis]
		i /= shape[axis]
		if k >= other[axis] {
			return 0, false
		}
		at += k * unit
		unit *= other[axis]
	}
	return at, true
}

// changeable is the error of a tensor whose elements can't be changed.
func (s *state) changeable(b *buffer) error {
	switch {
	case b.file != "":
		return tstore.ErrReadOnly
	case b.sealed:
		return tstore.ErrSealed
	}
	return s.readable(b)
}

// store changes elements of a part of a tensor, for all that share them. inPlace says that tensors
// which are open may see it.
func (s *state) store(name string, p part, inPlace bool, change func(was int64, i int) int64) error {
	old, b, err := s.tensor(name)
	if err != nil {
		return err
	}
	_, at, err := p.of(old.shape)
	if err != nil {
		return err
	}
	if err := s.changeable(b); err != nil && (len(at) > 0 || !unreadable(err)) {
		return err
	}
	o := *old
	s.put(name, &o)
	if len(at) == 0 {
		o.unsure = true
		return nil
	}
	b.vals, b.content = slices.Clone(b.vals), s.number()
	s.own(b.id)
	for i, k := range at {
		x := change(b.vals[old.at[k]], i)
		b.vals[old.at[k]] = x
		if inPlace {
			s.written = append(s.written, write{b.id, old.at[k], x})
		}
	}
	o.made = nil
	return nil
}

func (s *state) set(st step) error {
	o, _, err := s.tensor(st.Name)
	if err != nil {
		return err
	}
	shape, _, err := st.Part.of(o.shape)
	if err != nil {
		return err
	}
	v := counting("int64", shape, st.First)
	return s.store(st.Name, st.Part, true, func(_ int64, i int) int64 { return v.elems[i] })
}

func (s *state) fill(st step) error {
	return s.store(st.Name, st.Part, true, func(int64, int) int64 { return st.First })
}

func (s *state) writeInPlace(st step) error {
	if st.Part.Kind == "pick" {
		return errPick
	}
	return s.fill(st)
}

// eval does statements one after another.
func (s *state) eval(st step) error {
	for _, x := range st.Stmts {
		if err := s.statement(x, st.Flag || len(st.Stmts) == 1); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) statement(x stmt, inPlace bool) error {
	v, err := x.Expr.eval(s.input)
	if err != nil {
		return err
	}
	if x.replaces() {
		return s.assign(x.Target, v)
	}
	o, b, err := s.tensor(x.Target)
	if err != nil {
		return err
	}
	shape, _, err := x.Part.of(o.shape)
	if err != nil {
		return err
	}
	if b.dtype != "float64" && v.dtype == "float64" {
		return errShapes
	}
	if to, err := broadcast(shape, v.shape); err != nil || !slices.Equal(to, shape) {
		return errShapes
	}
	v = v.to(shape)
	return s.store(x.Target, x.Part, inPlace, func(was int64, i int) int64 {
		switch x.Op {
		case "+=":
			return was + v.elems[i]
		case "-=":
			return was - v.elems[i]
		}
		return v.elems[i]
	})
}

// assign makes a tensor, or gives one that is there other elements.
func (s *state) assign(name string, v value) error {
	old := s.names[name]
	if old == nil {
		if err := s.free(name); err != nil {
			return err
		}
		s.put(name, s.add(v))
		return nil
	}
	if old.kind != catalog.KindTensor {
		return tstore.ErrWrongKind
	}
	return s.renew(name, v, "")
}

// seal seals the elements of a tensor, for all that share them.
func (s *state) seal(st step) error {
	_, b, err := s.tensor(st.Name)
	if err != nil || b.sealed {
		return err
	}
	if err := s.readable(b); err != nil {
		return err
	}
	b.sealed = true
	return nil
}

func (s *state) unseal(st step) error {
	_, b, err := s.tensor(st.Name)
	if err == nil {
		b.sealed = false
	}
	return err
}
