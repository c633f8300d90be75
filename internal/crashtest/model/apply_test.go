package model

import (
	"errors"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// errAny stands for an error of any kind.
var errAny = errors.New("an error")

// effects are what steps do to a state. An error is that which the store must have, as far as
// errors.Is tells; the state is then half changed, and no longer used.
var effects = map[string]func(s *state, st step) error{
	"create":  (*state).create,
	"import":  (*state).imports,
	"pack":    (*state).pack,
	"adopt":   (*state).adopt,
	"copy":    (*state).copies,
	"view":    (*state).view,
	"rename":  (*state).rename,
	"delete":  (*state).remove,
	"replace": (*state).replace,
	"append":  (*state).appends,
	"resize":  (*state).resize,
	"set":     (*state).set,
	"fill":    (*state).fill,
	"write":   (*state).writeInPlace,
	"hold":    (*state).hold,
	"eval":    (*state).eval,
	"define":  (*state).define,
	"redo":    (*state).materialize,
	"seal":    (*state).seal,
	"unseal":  (*state).unseal,
	"attr":    (*state).attr,
	"blob":    (*state).blob,
	"keep":    (*state).keep,
	"forget":  (*state).forget,
	"restore": (*state).restore,
	"bring":   (*state).bring,
}

// within does the steps of a transaction.
func (s *state) within(subs []step) (*state, error) {
	var err error
	for _, sub := range subs {
		if s, err = s.after(sub); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// after is the state after a step, or the error that the step must have.
func (s *state) after(st step) (*state, error) { return s.afterReading(st, nil) }

// afterReading is after of a step that has read another state, if reads is not nil.
func (s *state) afterReading(st step, reads *state) (*state, error) {
	if st.Do == "update" {
		next, err := s.within(st.Sub)
		if err == nil && st.Flag {
			err = errAbort
		}
		return next, err
	}
	effect := effects[st.Do]
	if effect == nil {
		return s, nil // nothing that is to be seen
	}
	next := s.clone()
	next.reads = reads
	if err := effect(next, st); err != nil {
		return nil, err
	}
	next.drop()
	next.reads, next.mine = nil, nil
	return next, nil
}

func (s *state) create(st step) error {
	if err := s.free(st.Name); err != nil {
		return err
	}
	s.put(st.Name, s.addIn(counting(st.DType, st.Shape, st.First), st.Order))
	return nil
}

func (s *state) imports(st step) error {
	if err := s.create(st); err != nil {
		return err
	}
	s.bufs[s.names[st.Name].buf].sealed = st.Flag
	return nil
}

// pack imports several tensors in one transaction.
func (s *state) pack(st step) error {
	for _, name := range st.Names {
		one := st
		one.Name = name
		if err := s.imports(one); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) adopt(st step) error {
	if err := s.create(st); err != nil {
		return err
	}
	s.bufs[s.names[st.Name].buf].file = st.To
	return nil
}

func (s *state) copies(st step) error {
	o := s.source().names[st.Name]
	v, err := s.input(st.Name)
	if err != nil && (o == nil || o.kind != catalog.KindTensor || unreadable(err)) {
		return err
	}
	shape, at, err := st.Part.of(v.shape)
	if err != nil {
		return err
	}
	if o.kind == catalog.KindTensor {
		part := *o
		part.at = through(o.at, at)
		if err := s.source().dirty(&part); err != nil {
			return err
		}
	}
	old := s.names[st.To]
	if err := s.free(st.To); err != nil && !(st.Flag && errors.Is(err, tstore.ErrExists)) {
		return err
	}
	if old != nil && old.kind != catalog.KindTensor {
		return tstore.ErrWrongKind
	}
	made := s.add(v.pick(shape, at))
	made.attrs = o.attrs
	if old != nil && len(o.attrs) == 0 {
		made.attrs = old.attrs
	}
	s.put(st.To, made)
	return nil
}

// source is the state that a step reads.
func (s *state) source() *state {
	if s.reads != nil {
		return s.reads
	}
	return s
}

// pick is an array of some elements of another.
func (v value) pick(shape, at []int) value {
	out := value{dtype: v.dtype, shape: shape, elems: make([]int64, len(at))}
	for i, k := range at {
		out.elems[i] = v.elems[k]
	}
	return out
}

func (s *state) view(st step) error {
	if err := s.free(st.To); err != nil {
		return err
	}
	o, _, err := s.tensor(st.Name)
	if err != nil {
		return err
	}
	if st.Part.Kind == "pick" {
		return errPick
	}
	shape, at, err := st.Part.of(o.shape)
	if err != nil {
		return err
	}
	s.put(st.To, &object{kind: catalog.KindTensor, buf: o.buf, shape: shape, at: through(o.at, at)})
	return nil
}

// through are the places in a buffer of some elements of a tensor.
func through(at, picked []int) []int {
	out := make([]int, len(picked))
	for i, k := range picked {
		out[i] = at[k]
	}
	return out
}

func (s *state) rename(st step) error {
	if st.Name == st.To {
		if len(s.group(st.Name)) == 0 && s.names[st.Name] == nil {
			return tstore.ErrNotFound
		}
		return nil
	}
	inside := s.group(st.Name)
	o := s.names[st.Name]
	if o == nil && len(inside) == 0 {
		return tstore.ErrNotFound
	}
	if strings.HasPrefix(st.To, st.Name+"/") {
		return catalog.ErrConflict
	}
	if err := s.free(st.To); err != nil {
		return err
	}
	if o != nil {
		delete(s.names, st.Name)
		s.put(st.To, o)
		return nil
	}
	for _, name := range inside {
		o := s.names[name]
		delete(s.names, name)
		s.put(st.To+name[len(st.Name):], o)
	}
	return nil
}

// group are the names in a group.
func (s *state) group(group string) (names []string) {
	for _, name := range s.sorted() {
		if strings.HasPrefix(name, group+"/") {
			names = append(names, name)
		}
	}
	return names
}

func (s *state) remove(st step) error {
	for _, name := range st.Names {
		if s.names[name] == nil {
			return tstore.ErrNotFound
		}
		delete(s.names, name)
	}
	return nil
}

// renew gives a tensor other elements in a buffer of its own.
func (s *state) renew(name string, v value, order string) error {
	old, _, err := s.tensor(name)
	if err != nil {
		return err
	}
	o := s.addIn(v, order)
	o.attrs = old.attrs
	s.put(name, o)
	return nil
}

func (s *state) replace(st step) error {
	return s.renew(st.Name, counting(st.DType, st.Shape, st.First), st.Order)
}

func (s *state) attr(st step) error {
	old := s.names[st.Name]
	if old == nil {
		return tstore.ErrNotFound
	}
	o := *old
	o.attrs = map[string]int64{}
	for k, v := range old.attrs {
		o.attrs[k] = v
	}
	if !st.Flag {
		o.attrs[st.To] = st.First
	} else if _, ok := o.attrs[st.To]; ok {
		delete(o.attrs, st.To)
	} else {
		return tstore.ErrNotFound
	}
	s.put(st.Name, &o)
	return nil
}

func (s *state) blob(st step) error {
	old := s.names[st.Name]
	if old != nil && old.kind != catalog.KindBlob {
		return tstore.ErrWrongKind
	}
	if err := s.free(st.Name); err != nil && old == nil {
		return err
	}
	o := &object{kind: catalog.KindBlob, blob: st.First}
	if old != nil {
		o.attrs = old.attrs
	}
	s.put(st.Name, o)
	return nil
}

func (s *state) define(st step) error {
	if err := s.free(st.Name); err != nil {
		return err
	}
	v, err := st.Expr.eval(s.input)
	if err != nil && (st.Flag || !unreadable(err)) {
		return err
	}
	if !st.Flag {
		s.put(st.Name, &object{kind: catalog.KindLazy, expr: st.Expr})
		return nil
	}
	s.put(st.Name, s.computed(st.Expr, v))
	return nil
}

// computed is a tensor that knows what it was computed from.
func (s *state) computed(e expr, v value) *object {
	o := s.add(v)
	o.made = &making{expr: e, inputs: map[string]uint64{}, result: v.sum()}
	for _, name := range e.names() {
		in, _ := s.input(name)
		o.made.inputs[name] = in.sum()
	}
	return o
}

func (s *state) materialize(st step) error {
	old := s.names[st.Name]
	if old == nil {
		return tstore.ErrNotFound
	}
	e := old.expr
	if old.made != nil {
		e = old.made.expr
	}
	if e.Op == "" {
		return tstore.ErrWrongKind
	}
	v, err := e.eval(s.input)
	if err != nil {
		return err
	}
	o := s.computed(e, v)
	o.attrs = old.attrs
	s.put(st.Name, o)
	return nil
}
