package ptxvm

import (
	"strconv"
	"strings"
)

// number returns the bits of a literal of kind k. Floats are given by their bits alone: 0f and 8
// hexadecimal digits, or 0d and 16. Integers must fit in their bits, as signed or unsigned ones.
func number(t token, negative bool, k kind) uint64 {
	switch {
	case strings.HasPrefix(t.text, "0f"), strings.HasPrefix(t.text, "0d"):
		return floatBits(t, negative, k)
	case k.class == 'f':
		refuse(t.line, "%q is no literal of type %v, which is written by its bits", t.text, k)
	case k == predicate:
		refuse(t.line, "%q: there are no literals of predicates", t.text)
	}

	v, err := strconv.ParseUint(t.text, 0, 64)
	if err != nil || strings.Contains(t.text, "_") {
		refuse(t.line, "%q is no number", t.text)
	}
	if negative && v > k.mask()>>1+1 || v > k.mask() {
		refuse(t.line, "%s does not fit in %v", t.text, k)
	}
	if negative {
		v = -v
	}
	return v & k.mask()
}

func floatBits(t token, negative bool, k kind) uint64 {
	want := kind{'f', 32}
	if t.text[1] == 'd' {
		want.bits = 64
	}
	v, err := strconv.ParseUint(t.text[2:], 16, 64)
	if err != nil || len(t.text) != 2+want.bits/4 || strings.Contains(t.text, "_") {
		refuse(t.line, "%q is no float", t.text)
	}
	if negative || k != want {
		refuse(t.line, "%q is no literal of type %v", t.text, k)
	}
	return v
}

// size returns a positive number that is no larger than most.
func size(t token, most uint64) int {
	v, err := strconv.ParseUint(t.text, 10, 64)
	if err != nil || v == 0 || v > most {
		refuse(t.line, "%q is no number from 1 to %d", t.text, most)
	}
	return int(v)
}
