package jit

// resized is a mask for elements of another size.
func (n *narrowing) resized(mask, size int) int {
	switch have := n.nodes[mask].size; {
	case have == size:
		return mask
	case have == 8:
		return n.resized(n.lowWords(mask), size)
	case have == 4 && size == 8:
		return n.one(&widenMaskWordLong, 8, mask)
	case have == 4:
		return n.two2(&packHalves, 1, n.packed(&packMasks, mask))
	case size == 8:
		return n.one(&widenMaskByteLong, 8, mask)
	default:
		return n.one(&widenMaskByteWord, 4, mask)
	}
}

// two2 is an instruction on a and a.
func (n *narrowing) two2(do *instruction, size, a int) int { return n.two(do, size, a, a) }

// lowWords takes the lower halves of elements of 8 bytes, of which a vector has four.
func (n *narrowing) lowWords(a int) int {
	a = n.vector(a)
	const evenWords = 0x88
	return n.twoBy(&pickWords, 4, a, n.oneBy(&upperHalf128, 8, a, 1), evenWords)
}

// packed makes elements of 2 bytes of elements of 4, by an instruction that does so for each 16 bytes.
func (n *narrowing) packed(do *instruction, a int) int {
	p := n.two2(do, 2, a)
	if 4*n.lanes > 16 {
		const evenLongs = 0x08
		p = n.oneBy(&pickLongs, 2, p, evenLongs)
	}
	return p
}

// lowShorts takes the lower halves of elements of 4 bytes.
func (n *narrowing) lowShorts(a int) int {
	if by := &n.nodes[a]; by.do != &shiftDownBy.words || by.number < 16 {
		a = n.two(&and.words, 4, a, n.literal(0xffff, 4))
	}
	return n.packed(&packWords, a)
}

// lowBytes takes the lowest bytes of elements of 4.
func (n *narrowing) lowBytes(a int) int {
	return n.two2(&packShorts, 1, n.packed(&packWords, n.two(&and.words, 4, a, n.literal(0xff, 4))))
}

// masks combines two masks.
func (n *narrowing) masks(do *instruction, a, b int) int {
	size := max(n.nodes[a].size, n.nodes[b].size)
	return n.two(do, size, n.resized(a, size), n.resized(b, size))
}

// compared is where integers compare as predicate says.
func (n *narrowing) compared(predicate, size, a, b int) int {
	switch predicate {
	case intEqual:
		return n.two(equalInts.of(size), size, a, b)
	case intLess:
		return n.two(greaterInts.of(size), size, b, a)
	case intGreater:
		return n.two(greaterInts.of(size), size, a, b)
	case intNotEqual:
		return n.not(n.compared(intEqual, size, a, b))
	case intLessEqual:
		return n.not(n.compared(intGreater, size, a, b))
	case intNotLess:
		return n.not(n.compared(intLess, size, a, b))
	}
	panic("BUG: jit: no such comparison of integers")
}
