package main

import "github.com/mmcloughlin/avo/operand"

// The masks here are those of cmp.

// both is the mask of the elements that are set in two masks.
func (f fp) both(a, b value) value {
	if !f.wide() {
		return f.and(a, b)
	}
	mask := f.K()
	if f.size == 4 {
		f.KANDW(a, b, mask)
	} else {
		f.KANDB(a, b, mask)
	}
	return mask
}

// either is the mask of the elements that are set in one of two masks, or in both.
func (f fp) either(a, b value) value {
	if !f.wide() {
		return f.or(a, b)
	}
	mask := f.K()
	if f.size == 4 {
		f.KORW(a, b, mask)
	} else {
		f.KORB(a, b, mask)
	}
	return mask
}

// not is the mask of the elements that are not set in a mask.
func (f fp) not(mask value) value {
	if !f.wide() {
		return f.xor(mask, f.ones())
	}
	m := f.K()
	f.KNOTW(mask, m)
	return m
}

// jumpUnlessAny goes on at a label if no element of a mask is set.
func (f fp) jumpUnlessAny(mask value, label string) {
	switch {
	case !f.wide():
		f.VPTEST(mask, mask)
	case f.size == 4:
		f.KORTESTW(mask, mask)
	default:
		f.KORTESTB(mask, mask)
	}
	f.JEQ(operand.LabelRef(label))
}
