package order

import (
	"math/bits"
	"unsafe"
)

// A Pair is a key and the index of its element.
type Pair struct{ Key, Index uint64 }

// An Item is an element to be sorted: a key, a key above an index in one word, a Pair, or one of
// these with a wide key.
type Item interface {
	uint32 | uint64 | Pair | Wide | WidePair
}

// word returns the key of an item, with what is below it, or the upper half of a wide one. The
// compiler knows the size.
func word[E Item](e *E) uint64 {
	if unsafe.Sizeof(*e) == 4 {
		return uint64(*(*uint32)(unsafe.Pointer(e)))
	}
	return *(*uint64)(unsafe.Pointer(e))
}

const (
	fewItems   = 40        // are sorted by insertion
	cacheBytes = 384 << 10 // of items that stay in the second cache while they are sorted digit by digit
	partBits   = 11        // of the digit that parts larger ones
	digitItems = 2048      // are sorted by longer digits, whose counts take a while to clear
	shortBits  = 8         // of a digit of fewer items
	longBits   = 11        // of a digit of more
)

// Sort sorts items by the bits of their keys from number low on; items that agree in these stay in
// the order that they are in. room has the length of items and is overwritten. The result is in
// room if toRoom is set, else in items.
//
// Large runs are parted by their leading digit, as in an MSD radix sort, until parts stay in the
// cache, where they are sorted from the lowest digit to the highest; leading bits that all keys
// share are no part of any digit.
func Sort[E Item](items, room []E, low uint, toRoom bool) {
	sortWords(items, room, low, toRoom)
	if isWide[E]() {
		if toRoom {
			items, room = room, items
		}
		sortTies(items, room)
	}
}

// sortWords is Sort by the upper halves of keys, if these are wide.
func sortWords[E Item](items, room []E, low uint, toRoom bool) {
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

	// Part the items by the first digit in which they differ. Each part then fits the cache, or is
	// parted again. The two memories change roles with each level.
	shift := max(low, high-min(high, partBits))
	var ends [1 << partBits]int
	part(items, room, shift, &ends)

	for d := range 1 << partBits {
		lo, hi := 0, ends[d]
		if d > 0 {
			lo = ends[d-1]
		}
		if hi > lo {
			sortWords(room[lo:hi], items[lo:hi], low, !toRoom)
		}
	}
}

// spread returns the bits in which items differ.
func spread[E Item](items []E) uint64 {
	or, and := bitsOf(items)
	return or &^ and
}

// part copies items to room, in the order of the digit of partBits bits above shift; items agree in
// the bits above it. It sets the ends of the parts.
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
	if len(items) < digitItems {
		var counts [64 / shortBits << shortBits]uint32
		sortCounted(items, room, counts[:], low, high, shortBits, toRoom)
		return
	}
	var counts [(64 + longBits - 1) / longBits << longBits]uint32
	sortCounted(items, room, counts[:], low, high, longBits, toRoom)
}

// sortCounted is sortDigits by digits of some bits at most, with room for the counts of all digits.
func sortCounted[E Item](items, room []E, counts []uint32, low, high, most uint, toRoom bool) {
	digits := (high - low + most - 1) / most
	width := (high - low + digits - 1) / digits
	mask := uint64(1)<<width - 1
	countAll(items, counts, low, digits, width)

	from, to := items, room

	for d := range digits {
		starts := counts[d<<width:][:1<<width]
		sum := uint32(0)
		for v := range starts {
			n := starts[v]
			starts[v] = sum
			sum += n
		}

		shift := low + d*width
		to = to[:len(from)]
		for i := range from {
			v := word(&from[i]) >> (shift & 63) & mask
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

// countAll counts the digits of items. It counts three digits in one walk, which hardly takes
// longer than one.
func countAll[E Item](items []E, counts []uint32, low, digits, width uint) {
	mask := uint64(1)<<width - 1

	for ; digits >= 3; digits -= 3 {
		a, b, c := counts[:mask+1], counts[mask+1:][:mask+1], counts[2*(mask+1):][:mask+1]
		for i := range items {
			w := word(&items[i]) >> (low & 63)
			a[w&mask]++
			b[w>>(width&63)&mask]++
			c[w>>(2*width&63)&mask]++
		}
		counts, low = counts[3*(mask+1):], low+3*width
	}

	// One or two digits remain.
	for ; digits > 0; digits-- {
		a := counts[:mask+1]
		for i := range items {
			a[word(&items[i])>>(low&63)&mask]++
		}
		counts, low = counts[mask+1:], low+width
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
