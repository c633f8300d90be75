package jit

// The instructions that AVX2 has instead of those of AVX-512 which it lacks. Masks are vectors
// here, of all bits or none.
var (
	compareFloats = float("vcmp", 1, 0xc2, formBinary).withImmediate()
	equalInts     = family{
		one("vpcmpeqb", formBinary, x66, 1, 0x74, false), one("vpcmpeqw", formBinary, x66, 1, 0x75, false),
		one("vpcmpeqd", formBinary, x66, 1, 0x76, false), one("vpcmpeqq", formBinary, x66, 2, 0x29, false),
	}
	greaterInts = family{
		one("vpcmpgtb", formBinary, x66, 1, 0x64, false), one("vpcmpgtw", formBinary, x66, 1, 0x65, false),
		one("vpcmpgtd", formBinary, x66, 1, 0x66, false), one("vpcmpgtq", formBinary, x66, 2, 0x37, false),
	}
	blend = family{
		one("vpblendvb", formBlend, x66, 3, 0x4c, false), one("vpblendvb", formBlend, x66, 3, 0x4c, false),
		one("vblendvps", formBlend, x66, 3, 0x4a, false), one("vblendvpd", formBlend, x66, 3, 0x4b, false),
	}

	shiftSignedBy = one("vpsrad", formShift, x66, 1, 0x72, false).extending(4)
	mulLow        = one("vpmuludq", formBinary, x66, 1, 0xf4, false)

	widenMaskByteWord  = one("vpmovsxbd", formUnary, x66, 2, 0x21, false)
	widenMaskShortWord = one("vpmovsxwd", formUnary, x66, 2, 0x23, false)
	widenMaskShortLong = one("vpmovsxwq", formUnary, x66, 2, 0x24, false)
	widenMaskByteShort = one("vpmovsxbw", formUnary, x66, 2, 0x20, false)
	widenMaskByteLong  = one("vpmovsxbq", formUnary, x66, 2, 0x22, false)
	widenMaskWordLong  = one("vpmovsxdq", formUnary, x66, 2, 0x25, false)

	packWords    = one("vpackusdw", formBinary, x66, 2, 0x2b, false)
	packShorts   = one("vpackuswb", formBinary, x66, 1, 0x67, false)
	packMasks    = one("vpackssdw", formBinary, x66, 1, 0x6b, false)
	packHalves   = one("vpacksswb", formBinary, x66, 1, 0x63, false)
	upperHalf128 = one("vextracti128", formNarrow, x66, 3, 0x39, false).withByte().ofBytes(32)
	pickWords    = one("vshufps", formBinary, none, 1, 0xc6, false).withByte().ofBytes(16)
	pickLongs    = one("vpermq", formUnary, x66, 3, 0x00, true).withByte().ofBytes(32)
	mixWords     = one("vpblendd", formBinary, x66, 3, 0x02, false).withByte()
	mixShorts    = one("vpblendw", formBinary, x66, 3, 0x0e, false).withByte()

	repeatLongs = one("vpbroadcastq", formRepeat, x66, 2, 0x59, false)
)

func (i instruction) extending(n int) instruction {
	i.extension, i.immediate = n, true
	return i
}

// ofBytes fixes the length of the vectors of an instruction.
func (i instruction) ofBytes(n int) instruction {
	i.bytes = n
	return i
}

// narrowMoves holds the instructions that load and store vectors of some bytes.
var narrowMoves = map[int]struct{ load, store encoding }{
	4:  {encoding{x66, 1, 0x6e, false}, encoding{x66, 1, 0x7e, false}}, // vmovd
	8:  {encoding{xF3, 1, 0x7e, false}, encoding{x66, 1, 0xd6, false}}, // vmovq
	16: {encoding{none, 1, 0x10, false}, encoding{none, 1, 0x11, false}},
	32: {encoding{none, 1, 0x10, false}, encoding{none, 1, 0x11, false}},
}

// inBoth holds the instructions that AVX2 has with the same opcode.
var inBoth = func() map[*instruction]bool {
	all := map[*instruction]bool{}
	for _, p := range []*family{
		&addFloat, &mulFloat, &subFloat, &minFloat, &divFloat, &maxFloat, &sqrtFloat, &round, &muladd, &mulsub, &nmuladd,
		&addInt, &subInt, &and, &andNot, &or, &xor, &shiftLeft, &shiftRight, &shiftSigned, &shiftLeftBy, &shiftDownBy,
		&mulInt, &minSigned, &minUnsigned, &maxSigned, &maxUnsigned, &absInt,
	} {
		for _, do := range p.all() {
			all[do] = true
		}
	}
	for _, do := range []*instruction{
		&mulInt.longs, &minSigned.longs, &minUnsigned.longs, &maxSigned.longs, &maxUnsigned.longs, &absInt.longs, &shiftSigned.longs,
		&shiftLeft.shorts, &shiftRight.shorts, &shiftSigned.shorts,
	} {
		delete(all, do)
	}
	for _, do := range []*instruction{
		&widenFloat, &narrowFloat, &widenHalf, &narrowHalf, &widenInt, &widenUint, &widenByte, &widenUbyte, &widenShort, &widenUshort,
		&widenByteShort, &widenUbyteShort, &intFloat, &intDouble, &floatInt, &doubleInt,
	} {
		all[do] = true
	}
	return all
}()
