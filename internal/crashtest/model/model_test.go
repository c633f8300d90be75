package model

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// buffer is what tensors share: a run of elements.
type buffer struct {
	// id is the same in all states that have the buffer.
	id int
	// splitOf is the origin of a buffer that was split off another one; else 0.
	splitOf int
	// content is the number of the change that made the elements, appended rows apart.
	content int
	dtype   string
	// shape is that of the tensor that has all of it, whose elements lie in Fortran order if
	// fortran is true.
	shape   []int
	fortran bool
	vals    []int64 // in their order in the file; shared by states, so copied to be changed
	sealed  bool
	// restored is true once its file has been brought back from a snapshot: whether rows can be
	// appended to it is then for the store to say.
	restored bool
	// file is where the elements are of an adopted one.
	file string
	// cut is true while its data file is shorter than it should be.
	cut bool
	// written counts the writers in place that have an element; shared by states, so copied to be
	// changed.
	written map[int]int
}

// origin is the buffer that this one is, or was split off from.
func (b *buffer) origin() int {
	if b.splitOf != 0 {
		return b.splitOf
	}
	return b.id
}

// making is what a tensor was computed from.
type making struct {
	expr   expr
	inputs map[string]uint64 // sums of what the names stood for
	result uint64
}

// object is what a name stands for. It does not change: another one takes its place.
type object struct {
	kind  catalog.Kind
	buf   int   // of a tensor: its buffer
	shape []int // of a tensor
	at    []int // where its elements are in the buffer, in C order
	blob  int64
	attrs map[string]int64
	expr  expr // of a lazy name
	made  *making
	// unsure is true if the store may have forgotten what the tensor was made of: none of its
	// elements was changed.
	unsure bool
}

// state is what a store holds at one commit.
type state struct {
	names map[string]*object
	bufs  map[int]*buffer
	snaps map[string]*state
	// adopted are the foreign files that have changed since they were adopted, by their numbers at
	// that time.
	adopted map[string]int
	next    *int
	// reads is the state that a step reads which is done to this one, if it is another: computing
	// takes time. mine are the buffers that the step has made or changed itself.
	reads *state
	mine  map[int]bool
	// written are elements that were changed where they are, for tensors that are open.
	written []write
}

type write struct {
	buf, at int
	val     int64
}

func newState() *state {
	return &state{
		names: map[string]*object{}, bufs: map[int]*buffer{}, snaps: map[string]*state{}, adopted: map[string]int{}, next: new(int),
	}
}

// clone is a state of its own that shares what does not change.
func (s *state) clone() *state {
	out := &state{names: maps.Clone(s.names), bufs: map[int]*buffer{}, snaps: maps.Clone(s.snaps), adopted: s.adopted, next: s.next}
	for id, b := range s.bufs {
		c := *b
		out.bufs[id] = &c
	}
	return out
}

// drop forgets buffers that nothing uses.
func (s *state) drop() {
	used := map[int]bool{}
	for _, o := range s.names {
		if o.kind == catalog.KindTensor {
			used[o.buf] = true
		}
	}
	maps.DeleteFunc(s.bufs, func(id int, _ *buffer) bool { return !used[id] })
}

func (s *state) number() int {
	*s.next++
	return *s.next
}

// add makes a buffer of an array, and the tensor that is all of it.
func (s *state) add(v value) *object { return s.addIn(v, "") }

// addIn is add of elements that lie in Fortran order if order is "F".
func (s *state) addIn(v value, order string) *object {
	b := &buffer{id: s.number(), content: s.number(), dtype: v.dtype, shape: v.shape, vals: v.elems}
	o := &object{kind: catalog.KindTensor, buf: b.id, shape: v.shape, at: upTo(len(v.elems))}
	if order == "F" && len(v.shape) == 2 {
		b.fortran = true
		_, lies, _ := turned(v.shape)
		b.vals = v.pick(nil, lies).elems
		_, o.at, _ = turned([]int{v.shape[1], v.shape[0]})
	}
	s.bufs[b.id] = b
	s.own(b.id)
	return o
}

// own notes that a step has made or changed a buffer.
func (s *state) own(id int) {
	if s.mine == nil {
		s.mine = map[int]bool{}
	}
	s.mine[id] = true
}

// value is what the tensor shows that has all of the buffer.
func (b *buffer) value() value {
	v := value{dtype: b.dtype, shape: b.shape, elems: b.vals}
	if b.fortran {
		_, at, _ := turned([]int{b.shape[1], b.shape[0]})
		v = v.pick(b.shape, at)
	}
	return v
}

// put gives a name another meaning.
func (s *state) put(name string, o *object) { s.names[name] = o }

// free is the error of a name that something new can't have.
func (s *state) free(name string) error {
	if s.names[name] != nil {
		return tstore.ErrExists
	}
	for other := range s.names {
		if strings.HasPrefix(other, name+"/") || strings.HasPrefix(name, other+"/") {
			return catalog.ErrConflict
		}
	}
	return nil
}

// tensor is what a name stands for, if that is a tensor.
func (s *state) tensor(name string) (*object, *buffer, error) {
	o := s.names[name]
	switch {
	case o == nil:
		return nil, nil, tstore.ErrNotFound
	case o.kind == catalog.KindLazy:
		return nil, nil, tstore.ErrLazy
	case o.kind != catalog.KindTensor:
		return nil, nil, tstore.ErrWrongKind
	}
	return o, s.bufs[o.buf], nil
}

// readable is the error of elements that can't be read.
func (s *state) readable(b *buffer) error {
	switch {
	case b.cut:
		return tstore.ErrTruncated
	case b.file != "" && s.adopted[b.file] > 0:
		return tstore.ErrChanged
	}
	return nil
}

// dirty is the error of a tensor that has elements which are being written in place.
func (s *state) dirty(o *object) error {
	for _, at := range o.at {
		if s.bufs[o.buf].written[at] > 0 {
			return tstore.ErrDirty
		}
	}
	return nil
}

// unreadable reports whether an error is one of readable.
func unreadable(err error) bool {
	return errors.Is(err, tstore.ErrTruncated) || errors.Is(err, tstore.ErrChanged)
}

// shows is what a tensor shows, whether or not its file is whole.
func (s *state) shows(o *object) value {
	b := s.bufs[o.buf]
	v := value{dtype: b.dtype, shape: o.shape, elems: make([]int64, len(o.at))}
	for i, at := range o.at {
		v.elems[i] = b.vals[at]
	}
	return v
}

// look is what a name stands for: stored, or computed.
func (s *state) look(name string) (value, error) { return s.lookWithin(name, 50) }

func (s *state) lookWithin(name string, depth int) (value, error) {
	o := s.names[name]
	switch {
	case o == nil:
		return value{}, tstore.ErrNotFound
	case depth == 0:
		return value{}, errAny
	case o.kind == catalog.KindBlob:
		return value{}, tstore.ErrWrongKind
	case o.kind == catalog.KindLazy:
		return o.expr.eval(func(name string) (value, error) { return s.lookWithin(name, depth-1) })
	}
	return s.shows(o), errors.Join(s.readable(s.bufs[o.buf]), s.dirty(o))
}

// input is what a name stands for that a step reads.
func (s *state) input(name string) (value, error) {
	if o := s.names[name]; s.reads == nil || o != nil && s.mine[o.buf] {
		return s.look(name)
	}
	return s.reads.look(name)
}

// stale reports whether a tensor that was computed must be called stale: what it shows, or
// something that it was computed from, is not what it was.
func (s *state) stale(name string) bool { return s.staleWithin(name, 50) }

func (s *state) staleWithin(name string, depth int) bool {
	o := s.names[name]
	if o == nil || o.made == nil || o.kind != catalog.KindTensor || depth == 0 {
		return false
	}
	if s.shows(o).sum() != o.made.result {
		return true
	}
	for in, then := range o.made.inputs {
		v, err := s.look(in)
		if errors.Is(err, tstore.ErrDirty) {
			continue // it has changed when the writer says so
		}
		if unreadable(err) {
			err = nil // the catalog does not know
		}
		if err != nil || v.sum() != then || s.staleWithin(in, depth-1) {
			return true
		}
	}
	return false
}

// sharers are the names whose tensors are in a buffer, in order.
func (s *state) sharers(id int) (names []string) {
	for name, o := range s.names {
		if o.kind == catalog.KindTensor && o.buf == id {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// sorted are all names in order.
func (s *state) sorted() []string { return slices.Sorted(maps.Keys(s.names)) }

// whole reports whether a tensor is all of its buffer, in the order in which that is stored.
func (s *state) whole(o *object) bool {
	b := s.bufs[o.buf]
	if len(o.at) != len(b.vals) || b.file != "" {
		return false
	}
	for i, at := range o.at {
		if i != at {
			return false
		}
	}
	return true
}
