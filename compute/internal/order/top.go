package order

import (
	"errors"

	"github.com/tstore/tstore/dtype"
)

// A Top finds the first elements of a sorted lane without sorting the lane. It selects the key of
// the last wanted element, and gathers the elements before it.
type Top struct {
	Lane    Lane
	First   int  // how many are wanted, from 1 to all
	Largest bool // the largest ones, the largest first
	Indexes bool // keys are those of EncodeEqual, and of elements with one key those of lower indexes come first
	Run     Runner
}

const (
	someEqual   = 1 << 16         // elements that are as the last one are gathered, of which only some may be wanted
	windowElems = 16 * ChunkElems // are looked through at once for more of them
)

// Find returns the keys of the elements, in order, with their numbers; without Indexes, numbers
// mean nothing.
func (t Top) Find() ([]Pair, error) {
	at := t.First - 1
	if t.Largest {
		at = t.Lane.N - t.First
	}

	found, err := Select(t.Lane, func(int) []int { return []int{at} }, t.Run)
	if err != nil {
		return nil, err
	}

	if !t.Indexes {
		return t.keys(found[0])
	}

	low, high := t.Lane.Coding.alike(found[0])
	pairs, err := t.gather(t.upTo(low, high), 2*t.First+someEqual)
	if errors.Is(err, errTooMany) {
		pairs, err = t.firstEqual(low, high)
	}

	if err != nil {
		return nil, err
	}

	if len(pairs) < t.First {
		return nil, errChanged
	}
	return pairs[:t.First], nil
}

// keys is Find for keys only. The last one is known.
func (t Top) keys(last uint64) ([]Pair, error) {
	pairs, err := t.fewer(last)
	if err != nil {
		return nil, err
	}
	for len(pairs) < t.First {
		pairs = append(pairs, Pair{Key: last})
	}
	return pairs, nil
}

// fewer returns the elements that come before a key. There are fewer of them than are wanted.
func (t Top) fewer(key uint64) ([]Pair, error) {
	pairs, err := t.gather(t.before(key), t.First-1)
	if errors.Is(err, errTooMany) {
		err = errChanged
	}
	return pairs, err
}

// A keyRange is keys from low to high.
type keyRange struct{ low, high uint64 }

// before returns the keys that come before some key.
func (t Top) before(key uint64) keyRange {
	top := t.Lane.Coding.highest()
	switch {
	case t.Largest && key < top:
		return keyRange{key + 1, top}
	case !t.Largest && key > 0:
		return keyRange{0, key - 1}
	}
	return keyRange{1, 0}
}

// upTo returns the keys from low to high, and those that come before them.
func (t Top) upTo(low, high uint64) keyRange {
	if t.Largest {
		return keyRange{low, t.Lane.Coding.highest()}
	}
	return keyRange{0, high}
}

// alike returns the first and the last of the keys that EncodeEqual makes one of.
func (c Coding) alike(key uint64) (low, high uint64) {
	switch {
	case c.dtype == dtype.Complex64:
		return alikeComplex(key)
	case c.IsNaN(key):
		return c.nan, c.highest()
	case c.dtype.Kind() == dtype.KindFloat && (key == c.zero() || key == c.zero()-1):
		return c.zero() - 1, c.zero()
	}
	return key, key
}

// highest returns the highest key that there is.
func (c Coding) highest() uint64 { return 1<<c.Bits() - 1 }

// gather returns the elements with some keys, in order. They are errTooMany if there are more than
// limit.
func (t Top) gather(r keyRange, limit int) ([]Pair, error) {
	pairs, err := t.inRange(t.Lane, r, limit, true)
	t.sort(pairs)
	return pairs, err
}

// firstEqual returns the elements that come before those with keys from low to high, and then as
// many of these as are wanted.
func (t Top) firstEqual(low, high uint64) ([]Pair, error) {
	beyond := low
	if t.Largest {
		beyond = high
	}
	pairs, err := t.fewer(beyond)
	for at := 0; err == nil && len(pairs) < t.First && at < t.Lane.N; at += windowElems {
		window := t.Lane
		window.First, window.N = window.First+at, min(windowElems, window.N-at)
		var equal []Pair
		equal, err = t.inRange(window, keyRange{low, high}, windowElems, false)
		for _, p := range equal {
			pairs = append(pairs, Pair{p.Key, p.Index + uint64(at)})
		}
	}
	return pairs, err
}

// sort sorts pairs whose indexes ascend.
func (t Top) sort(pairs []Pair) {
	if t.Largest {
		t.flip(pairs)
		defer t.flip(pairs)
	}
	Sort(pairs, make([]Pair, len(pairs)), 0, false)
}

// flip turns the order of keys around.
func (t Top) flip(pairs []Pair) {
	for i := range pairs {
		pairs[i].Key = ^pairs[i].Key
	}
}
