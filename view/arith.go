package view

import "math/bits"

// mulInto multiplies *a by b and reports whether the product fits; if not, *a is unchanged.
func mulInto(a *int, b int) bool {
	hi, lo := bits.Mul64(magnitude(*a), magnitude(b))
	negative := (*a < 0) != (b < 0)
	limit := uint64(1)<<63 - 1
	if negative {
		limit++
	}
	if hi != 0 || lo > limit {
		return false
	}
	if negative {
		lo = -lo
	}
	*a = int(lo)
	return true
}

// addInto adds b to *a and reports whether the sum fits; if not, *a is unchanged.
func addInto(a *int, b int) bool {
	sum := *a + b
	if (sum > *a) != (b > 0) && b != 0 {
		return false
	}
	*a = sum
	return true
}

// magnitude returns |v|, also for the most negative int.
func magnitude(v int) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}
