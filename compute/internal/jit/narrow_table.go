package jit

// narrowings maps an instruction of AVX-512 to a function that makes the AVX2 nodes in its place.
// old is the node of the instruction, and args are its operands in n.
var narrowings map[*instruction]func(n *narrowing, old *node, args [3]int) int

func init() {
	narrowings = map[*instruction]func(n *narrowing, old *node, args [3]int) int{
		&testBytes: func(n *narrowing, _ *node, a [3]int) int {
			zero := n.vector(n.literal(0, 1))
			return n.two(&equalInts.bytes, 1, n.two(&equalInts.bytes, 1, a[0], zero), zero)
		},
		&maskBytes:   func(n *narrowing, _ *node, a [3]int) int { return n.resized(a[0], 1) },
		&notMask:     func(n *narrowing, _ *node, a [3]int) int { return n.not(a[0]) },
		&andMasks:    func(n *narrowing, _ *node, a [3]int) int { return n.masks(&and.words, a[0], a[1]) },
		&andNotMasks: func(n *narrowing, _ *node, a [3]int) int { return n.masks(&andNot.words, a[0], a[1]) },
		&orMasks:     func(n *narrowing, _ *node, a [3]int) int { return n.masks(&or.words, a[0], a[1]) },
		&xorMasks:    func(n *narrowing, _ *node, a [3]int) int { return n.masks(&xor.words, a[0], a[1]) },
		&sameMasks:   func(n *narrowing, _ *node, a [3]int) int { return n.not(n.masks(&xor.words, a[0], a[1])) },

		&narrowInt:       func(n *narrowing, _ *node, a [3]int) int { return n.lowWords(a[0]) },
		&narrowShortByte: func(n *narrowing, _ *node, a [3]int) int { return n.lowBytesOfShorts(a[0]) },
		&narrowShort:     func(n *narrowing, _ *node, a [3]int) int { return n.lowShorts(a[0]) },
		&narrowByte:      func(n *narrowing, _ *node, a [3]int) int { return n.lowBytes(a[0]) },
		&truncateFloat:   func(n *narrowing, _ *node, a [3]int) int { return n.truncatedFloat(a[0]) },
		&uintDouble:      func(n *narrowing, _ *node, a [3]int) int { return n.uintDouble(a[0]) },
		&uintFloat:       func(n *narrowing, _ *node, a [3]int) int { return n.one(&narrowFloat, 4, n.uintDouble(a[0])) },
		&longDouble:      func(n *narrowing, _ *node, a [3]int) int { return n.longDouble(a[0]) },
		&ulongDouble:     func(n *narrowing, _ *node, a [3]int) int { return n.ulongDouble(a[0]) },
		&doubleLong:      func(n *narrowing, _ *node, a [3]int) int { return n.doubleLong(a[0]) },
		&floatLong:       func(n *narrowing, _ *node, a [3]int) int { return n.doubleLong(n.one(&widenFloat, 8, a[0])) },

		&mulInt.longs:      func(n *narrowing, _ *node, a [3]int) int { return n.mulLongs(a[0], a[1]) },
		&absInt.longs:      func(n *narrowing, _ *node, a [3]int) int { return n.absLongs(a[0]) },
		&shiftSigned.longs: func(n *narrowing, _ *node, a [3]int) int { return n.shiftSignedLongs(a[0], a[1]) },
		&permute:           func(n *narrowing, _ *node, a [3]int) int { return n.permuted(a[0], a[1]) },
		&exponent.words:    func(n *narrowing, _ *node, a [3]int) int { return n.exponent(a[0]) },
		&mantissa.words:    func(n *narrowing, _ *node, a [3]int) int { return n.mantissa(a[0]) },
		&scale.words:       func(n *narrowing, _ *node, a [3]int) int { return n.scaleWords(a[0], a[1]) },
		&scale.longs:       func(n *narrowing, _ *node, a [3]int) int { return n.scaleLongs(a[0], a[1]) },
	}

	for _, size := range []int{4, 8} {
		narrowings[cmpFloat.of(size)] = func(n *narrowing, old *node, a [3]int) int {
			return n.twoBy(compareFloats.of(size), size, a[0], a[1], old.number)
		}
		narrowings[signs.of(size)] = func(n *narrowing, _ *node, a [3]int) int { return n.negative(size, n.vector(a[0])) }
	}

	for _, size := range []int{1, 2, 4, 8} {
		narrowings[cmpSigned.of(size)] = func(n *narrowing, old *node, a [3]int) int { return n.compared(old.number, size, a[0], a[1]) }
		narrowings[cmpUnsigned.of(size)] = func(n *narrowing, old *node, a [3]int) int {
			return n.compared(old.number, size, n.ordered(size, a[0]), n.ordered(size, a[1]))
		}
		narrowings[choose.of(size)] = func(n *narrowing, _ *node, a [3]int) int { return n.pick(size, a[0], a[1], a[2]) }
		narrowings[keep.of(size)] = func(n *narrowing, _ *node, a [3]int) int {
			return n.two(&and.words, size, n.resized(a[0], size), a[1])
		}
	}

	// AVX2 has no extremes of 64-bit integers: compare and pick.
	greaterOf := func(n *narrowing, a, b int, signed bool) int {
		if signed {
			return n.compared(intGreater, 8, a, b)
		}
		return n.compared(intGreater, 8, n.ordered(8, a), n.ordered(8, b))
	}
	for do, p := range map[*instruction]struct{ signed, greatest bool }{
		&minSigned.longs: {true, false}, &maxSigned.longs: {true, true}, &minUnsigned.longs: {false, false}, &maxUnsigned.longs: {false, true},
	} {
		narrowings[do] = func(n *narrowing, _ *node, a [3]int) int {
			mask := greaterOf(n, a[0], a[1], p.signed)
			if p.greatest {
				return n.pick(8, mask, a[0], a[1])
			}
			return n.pick(8, mask, a[1], a[0])
		}
	}
}
