package order

import (
	"math/bits"
	"unsafe"
)

// A Pair is a key and the index of the element that has it.
type Pair struct{ Key, Index uint64 }

// An Item is what is sorted: a key, a key in the upper half and an index in the lower one, or a Pair.
type Item interface{ uint32 | uint64 | Pair }

// word returns the key of an item, with what is below it. The compiler knows the size.
func word[E Item](e *E) uint64 {
	if unsafe.Sizeof(*e) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(e)))
	}
	return *(*uint64)(unsafe.Pointer(e))
}

const (
	fewItems     = 40        // are sorted by insertion
	cacheBytes   = 384 << 10 // of items that stay in the second cache while they are sorted digit by digit
	partBits     = 11        // of the digit that parts larger ones
	maxDigitBits = 8         // of the digits within a part
)

// Sort sorts items by the bits of their keys from number low on; items that agree in these stay in the order that they are
// in. room has the length of items and is overwritten. The result is in room if toRoom is set, else in items.
//
// Large runs are parted by their leading digit, as in an MSD radix sort, until parts stay in the cache, where they are sorted
// from the lowest digit to the highest; leading bits that all keys share are no part of any digit.
func Sort[E Item](items, room []E, low uint, toRoom bool) {
	if len(items) <= fewItems {
		insert(items, low)
		if toRoom {
			copy(room, items)
		}
		return
	}
	differ := spread(items)
	high := uint(bits.Len64(differ))
	if high <= low {
		if toRoom {
			copy(room, items)
		}
		return
	}
	if len(items)*int(unsafe.Sizeof(items[0])) <= cacheBytes {
		sortDigits(items, room, low, high, toRoom)
		return
	}
	shift := max(low, high-min(high, partBits))
	var ends [1 << partBits]int
	part(items, room, shift, &ends)
	for d := range 1 << partBits {
		lo, hi := 0, ends[d]
		if d > 0 {
			lo = ends[d-1]
		}
		if hi > lo {
			Sort(room[lo:hi], items[lo:hi], low, !toRoom)
		}
	}
}

// spread returns the bits in which items differ.
func spread[E Item](items []E) uint64 {
	or, and := bitsOf(items)
	return or &^ and
}

// part copies items to room, in the order of the digit of partBits bits above shift; items agree in the bits above it. It sets
// the ends of the parts.
func part[E Item](items, room []E, shift uint, ends *[1 << partBits]int) {
	var counts [1 << partBits]uint32
	countDigits(items, shift, &counts)
	sum := 0
	for d, n := range counts {
		ends[d] = sum
		sum += int(n)
	}
	scatter(items, room, shift, ends)
}

// sortDigits sorts from the lowest digit to the highest of the bits from low to high.
func sortDigits[E Item](items, room []E, low, high uint, toRoom bool) {
	digits := (high - low + maxDigitBits - 1) / maxDigitBits
	width := (high - low + digits - 1) / digits
	mask := uint64(1)<<width - 1
	var counts [8][1 << maxDigitBits]uint32
	for i := range items {
		w := word(&items[i]) >> low
		for d := range digits {
			counts[d&7][w&mask&(1<<maxDigitBits-1)]++
			w >>= width
		}
	}
	from, to := items, room
	for d := range digits {
		starts := &counts[d]
		sum := uint32(0)
		for v := range starts {
			n := starts[v]
			starts[v] = sum
			sum += n
		}
		shift := low + d*width
		to = to[:len(from)]
		for i := range from {
			v := word(&from[i]) >> shift & mask & (1<<maxDigitBits - 1)
			to[starts[v]] = from[i]
			starts[v]++
		}
		from, to = to, from
	}
	switch inRoom := digits%2 == 1; {
	case inRoom && !toRoom:
		copy(items, room)
	case !inRoom && toRoom:
		copy(room, items)
	}
}

// insert sorts a few items.
func insert[E Item](items []E, low uint) {
	for i := 1; i < len(items); i++ {
		e := items[i]
		w := word(&e) >> low
		j := i
		for ; j > 0 && word(&items[j-1])>>low > w; j-- {
			items[j] = items[j-1]
		}
		items[j] = e
	}
}
