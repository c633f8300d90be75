package jit

// resized is a mask for elements of another size.
func (n *narrowing) resized(mask, size int) int {
	have := n.nodes[mask].size
	switch {
	case have == size:
		return mask
	case have < size:
		return n.one(widenMask[[2]int{have, size}], size, mask)
	case have == 8:
		return n.resized(n.lowWords(mask), size)
	case have == 4:
		return n.resized(n.packed(&packMasks, 2, mask), size)
	default:
		return n.packed(&packHalves, 1, mask)
	}
}

// widenMask holds the instructions that make masks for elements of one size those of another.
var widenMask = map[[2]int]*instruction{
	{1, 2}: &widenMaskByteShort, {1, 4}: &widenMaskByteWord, {1, 8}: &widenMaskByteLong,
	{2, 4}: &widenMaskShortWord, {2, 8}: &widenMaskShortLong, {4, 8}: &widenMaskWordLong,
}

// two2 is an instruction on a and a.
func (n *narrowing) two2(do *instruction, size, a int) int { return n.two(do, size, a, a) }

// lowWords takes the lower halves of elements of 8 bytes. A vector has four elements.
func (n *narrowing) lowWords(a int) int {
	a = n.vector(a)
	const evenWords = 0x88
	return n.twoBy(&pickWords, 4, a, n.oneBy(&upperHalf128, 8, a, 1), evenWords)
}

// packed narrows elements of twice the size to size bytes, by an instruction that works on each 16
// bytes apart.
func (n *narrowing) packed(do *instruction, size, a int) int {
	p := n.two2(do, size, a)
	if 2*size*n.lanes > 16 {
		const evenLongs = 0x08
		p = n.oneBy(&pickLongs, size, p, evenLongs)
	}
	return p
}

// lowShorts takes the lower halves of elements of 4 bytes.
func (n *narrowing) lowShorts(a int) int {
	if by := &n.nodes[a]; by.do != &shiftDownBy.words || by.number < 16 {
		a = n.two(&and.words, 4, a, n.literal(0xffff, 4))
	}
	return n.packed(&packWords, 2, a)
}

// lowBytes takes the lowest bytes of elements of 4.
func (n *narrowing) lowBytes(a int) int {
	return n.packed(&packShorts, 1, n.packed(&packWords, 2, n.two(&and.words, 4, a, n.literal(0xff, 4))))
}

// lowBytesOfShorts takes the lower halves of elements of 2 bytes.
func (n *narrowing) lowBytesOfShorts(a int) int {
	return n.packed(&packShorts, 1, n.two(&and.shorts, 2, a, n.literal(0xff, 2)))
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
