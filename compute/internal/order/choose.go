package order

import (
	"cmp"
	"math/bits"
	"slices"
)

// Choose moves the keys that sorting would put at some ascending positions there, by Hoare's
// quickselect; after as many rounds as bad luck takes, it sorts. No key is NaN.
func Choose[K cmp.Ordered](keys []K, positions []int) {
	choose(keys, 0, positions, 2*bits.Len(uint(len(keys))))
}

// choose is Choose for keys that start at a position.
func choose[K cmp.Ordered](keys []K, start int, positions []int, rounds int) {
	const few = 24
	for len(positions) > 0 {
		if len(keys) <= few || rounds == 0 {
			slices.Sort(keys)
			return
		}
		rounds--
		split := split(keys)
		left, _ := slices.BinarySearch(positions, start+split)
		choose(keys[:split], start, positions[:left], rounds)
		keys, start, positions = keys[split:], start+split, positions[left:]
	}
}

// split puts keys that are not above some key before keys that are not below it, and returns where
// the latter start. Neither part is empty; there are at least 3 keys.
func split[K cmp.Ordered](keys []K) int {
	first, middle, last := keys[0], keys[len(keys)/2], keys[len(keys)-1]
	pivot := max(min(first, middle), min(max(first, middle), last))

	// Hoare's partition: keys that stand on the wrong sides change places until the two indexes
	// meet.
	i, j := 0, len(keys)-1
	for {
		for keys[i] < pivot {
			i++
		}
		for keys[j] > pivot {
			j--
		}
		if i >= j {
			break
		}
		keys[i], keys[j] = keys[j], keys[i]
		i++
		j--
	}

	return max(i, 1)
}

// SortFirst puts the items that Sort would put first there, in its order; the others are in any.
// room has the length of items.
func SortFirst[E Item](items, room []E, first int, low uint) {
	if 4*first <= len(items) {
		positions := []int{max(first, 1) - 1}
		switch x := any(items).(type) {
		case []uint32:
			Choose(x, positions)
			items, room = items[:first], room[:first]
		case []uint64:
			Choose(x, positions)
			items, room, low = items[:first], room[:first], 0 // items of one key are no longer in the order of their indexes
		}
	}
	Sort(items, room, low, false)
}
