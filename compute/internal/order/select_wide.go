package order

import (
	"math"

	"github.com/tstore/tstore/dtype"
)

// SelectWide is Select of a lane of complex128: the upper halves of the keys are found first, then,
// for each that differs from the others, the lower ones beside it. Each of them is a Select by
// itself.
func SelectWide(l Lane, at func(numNaN int) []int, run Runner) ([]Wide, error) {
	var positions []int
	highs, err := Select(l.words(wideNaN, upperHalves), func(nan int) []int {
		positions = at(nan)
		return positions
	}, run)
	if err != nil {
		return nil, err
	}

	keys := make([]Wide, 0, len(highs))
	for len(keys) < len(highs) {
		first, high := len(keys), highs[len(keys)]
		end := first + 1
		for end < len(highs) && highs[end] == high {
			end++
		}

		lows, err := Select(l.words(math.MaxUint64, lowerHalves(high)), func(int) []int { return positions[first:end] }, run)
		if err != nil {
			return nil, err
		}

		for _, low := range lows {
			keys = append(keys, Wide{high, low})
		}
	}
	return keys, nil
}

// upperHalves sets to to the upper halves of keys.
func upperHalves(to []uint64, keys []Wide) {
	for i, k := range keys {
		to[i] = k.Key
	}
}

// lowerHalves sets words to the lower halves of the keys whose upper half is high. Keys below and
// above those become the lowest and the highest word. So a position among the words is the same
// position among the keys.
func lowerHalves(high uint64) func(words []uint64, keys []Wide) {
	return func(to []uint64, keys []Wide) {
		for i, k := range keys {
			low := k.Low
			if k.Key < high {
				low = 0
			}
			if k.Key > high {
				low = math.MaxUint64
			}
			to[i] = low
		}
	}
}

// words returns a lane of complex128 as one of words that are made of the keys. Those from nan on
// are of NaNs.
func (l Lane) words(nan uint64, of func(to []uint64, keys []Wide)) Lane {
	l.Coding = Coding{dtype: dtype.Uint64, nan: nan}
	l.Source = wordSource{l.Source, of}
	return l
}

// A wordSource makes words of the keys of elements of complex128.
type wordSource struct {
	elems Source
	of    func(to []uint64, keys []Wide)
}

// someWide keys are made words at a time.
const someWide = 256

// Buffer implements Source: words, room for some keys, and what the elements need.
func (s wordSource) Buffer(n int) []byte {
	return bytesOf(make([]uint64, n+2*someWide+(len(s.elems.Buffer(n))+7)/8))
}

// Fetch implements Source.
func (s wordSource) Fetch(buf []byte, first, n int) ([]byte, error) {
	made, buf := buf[:8*n], buf[8*n:]
	room, buf := buf[:16*someWide], buf[16*someWide:]
	b, err := s.elems.Fetch(buf, first, n)
	if err != nil {
		return nil, err
	}
	for at := 0; at < n; at += someWide {
		keys := words[Wide](room)[:min(someWide, n-at)]
		EncodeWide(keys, b[16*at:], false)
		s.of(words[uint64](made)[at:], keys)
	}
	return made, nil
}
