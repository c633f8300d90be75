package jit

import "slices"

// A form says where the operands of an instruction go in its encoding.
type form uint8

const (
	formBinary  form = iota // result = f(args[0], args[1]), the second from rm
	formUnary               // result = f(args[0]), from rm
	formNarrow              // result in rm = f(args[0])
	formShift               // result = args[0] shifted by the immediate; the opcode has more bits in reg
	formFused               // result = ±args[0]·args[1] ± args[2], of three opcodes
	formChoose              // result = args[1] where the mask args[0] is set, else args[2]
	formBlend               // formChoose where masks are vectors, with the mask in the byte that follows
	formKeep                // result = args[1] where the mask args[0] is set, else 0; args[1] is a scalar
	formMasks               // of masks: result = f(args[0], args[1])
	formNot                 // of a mask
	formLoad                // of an operand in memory
	formScalar              // one element for all, folded into what uses it
	formRepeat              // the scalar args[0] as a vector
	formRow                 // 16 words that lie one after another among the constants
	formPermute             // the words of args[1] that the low bits of args[0] tell
)

// An instruction makes the value of a node.
type instruction struct {
	name string // in the notation of assemblers
	form form
	encoding
	extension  int  // of formShift
	immediate  bool // whether a byte follows
	makesMask  bool
	takesMask  bool // of formUnary: args[0] is a mask
	towardZero bool // of formUnary on whole vectors: how it rounds, whatever the mode is
	element    int  // bytes of what a broadcast operand has: 0 if the instruction takes none
	bytes      int  // of its vectors, if that does not depend on the elements
}

// A family is one instruction for elements of several sizes: of 4 and of 8 bytes, and of some also
// of 1 and of 2.
type family struct{ bytes, shorts, words, longs instruction }

// of returns the instruction for elements of a size.
func (p *family) of(size int) *instruction {
	var do *instruction
	switch size {
	case 1:
		do = &p.bytes
	case 2:
		do = &p.shorts
	case 4:
		do = &p.words
	default:
		do = &p.longs
	}
	if do.name == "" {
		refuse("%s of elements of %d bytes", p.words.name, size)
	}
	return do
}

// all lists the instructions that there are.
func (p *family) all() []*instruction {
	all := []*instruction{&p.bytes, &p.shorts, &p.words, &p.longs}
	return slices.DeleteFunc(all, func(do *instruction) bool { return do.name == "" })
}

// float is a family for floats: with prefix 66 and W for float64.
func float(name string, space, opcode byte, f form) family {
	return family{
		words: instruction{name: name + "ps", form: f, encoding: encoding{none, space, opcode, false}, element: 4},
		longs: instruction{name: name + "pd", form: f, encoding: encoding{x66, space, opcode, true}, element: 8},
	}
}

// both is a family that differs in W alone.
func both(words, longs string, prefix, space, opcode byte, f form) family {
	return family{
		words: instruction{name: words, form: f, encoding: encoding{prefix, space, opcode, false}, element: 4},
		longs: instruction{name: longs, form: f, encoding: encoding{prefix, space, opcode, true}, element: 8},
	}
}

// differing is a family with two opcodes.
func differing(words, longs string, opcode, opcodeLongs byte, prefix, space byte, f form) family {
	p := both(words, longs, prefix, space, opcode, f)
	p.longs.opcode = opcodeLongs
	return p
}

func (p family) withImmediate() family {
	for _, do := range p.all() {
		do.immediate = true
	}
	return p
}

func (p family) makingMask() family {
	for _, do := range p.all() {
		do.makesMask = true
	}
	return p
}

func (p family) withExtension(n int) family {
	for _, do := range p.all() {
		do.extension = n
	}
	return p.withImmediate()
}

// small adds instructions on elements of 1 and of 2 bytes, which differ in their opcodes, to those
// on larger ones.
func (p family) small(bytes, shorts string, space, opcode, opcodeShorts byte) family {
	f := p.words.form
	p.bytes, p.shorts = one(bytes, f, x66, space, opcode, false), one(shorts, f, x66, space, opcodeShorts, false)
	return p
}

// smallBy is small where they differ in W alone.
func (p family) smallBy(bytes, shorts string, space, opcode byte) family {
	p = p.small(bytes, shorts, space, opcode, opcode)
	p.shorts.wide = true
	return p
}

// byte and short add an instruction on elements of 1 and of 2 bytes.

func (p family) byte(name string, space, opcode byte) family {
	p.bytes = one(name, p.words.form, x66, space, opcode, false)
	return p
}

func (p family) short(name string, space, opcode byte, wide bool) family {
	p.shorts = one(name, p.words.form, x66, space, opcode, wide)
	return p
}

// bitwise adds instructions on small elements. They are the same as on larger ones, except for
// broadcast operands.
func (p family) bitwise() family {
	p.bytes, p.shorts = p.words, p.words
	p.bytes.element, p.shorts.element = 0, 0
	return p
}

func fused(name string, opcode byte) family {
	p := both(name+"ps", name+"pd", x66, 2, opcode, formFused)
	return p
}

// one is an instruction on elements of one size, which takes none broadcast.
func one(name string, f form, prefix, space, opcode byte, wide bool) instruction {
	return instruction{name: name, form: f, encoding: encoding{prefix, space, opcode, wide}}
}

func (i instruction) broadcasting(size int) instruction {
	i.element = size
	return i
}

func (i instruction) toMask() instruction {
	i.makesMask = true
	return i
}

func (i instruction) withByte() instruction {
	i.immediate = true
	return i
}

// The instructions. Fused ones have the opcode of the order 132; 213 is 0x10 more and 231 0x20.
var (
	addFloat  = float("vadd", 1, 0x58, formBinary)
	mulFloat  = float("vmul", 1, 0x59, formBinary)
	subFloat  = float("vsub", 1, 0x5c, formBinary)
	minFloat  = float("vmin", 1, 0x5d, formBinary) // the second operand if either is NaN, or both are 0
	divFloat  = float("vdiv", 1, 0x5e, formBinary)
	maxFloat  = float("vmax", 1, 0x5f, formBinary) // likewise
	sqrtFloat = float("vsqrt", 1, 0x51, formUnary)
	scale     = both("vscalefps", "vscalefpd", x66, 2, 0x2c, formBinary)
	exponent  = both("vgetexpps", "vgetexppd", x66, 2, 0x42, formUnary)
	mantissa  = both("vgetmantps", "vgetmantpd", x66, 3, 0x26, formUnary).withImmediate()
	round     = differing("vrndscaleps", "vrndscalepd", 0x08, 0x09, x66, 3, formUnary).withImmediate()
	cmpFloat  = float("vcmp", 1, 0xc2, formBinary).withImmediate().makingMask()
	muladd    = fused("vfmadd", 0x98)
	mulsub    = fused("vfmsub", 0x9a)
	nmuladd   = fused("vfnmadd", 0x9c)

	addInt      = differing("vpaddd", "vpaddq", 0xfe, 0xd4, x66, 1, formBinary).small("vpaddb", "vpaddw", 1, 0xfc, 0xfd)
	subInt      = differing("vpsubd", "vpsubq", 0xfa, 0xfb, x66, 1, formBinary).small("vpsubb", "vpsubw", 1, 0xf8, 0xf9)
	mulInt      = both("vpmulld", "vpmullq", x66, 2, 0x40, formBinary).short("vpmullw", 1, 0xd5, false)
	minSigned   = both("vpminsd", "vpminsq", x66, 2, 0x39, formBinary).byte("vpminsb", 2, 0x38).short("vpminsw", 1, 0xea, false)
	minUnsigned = both("vpminud", "vpminuq", x66, 2, 0x3b, formBinary).byte("vpminub", 1, 0xda).short("vpminuw", 2, 0x3a, false)
	maxSigned   = both("vpmaxsd", "vpmaxsq", x66, 2, 0x3d, formBinary).byte("vpmaxsb", 2, 0x3c).short("vpmaxsw", 1, 0xee, false)
	maxUnsigned = both("vpmaxud", "vpmaxuq", x66, 2, 0x3f, formBinary).byte("vpmaxub", 1, 0xde).short("vpmaxuw", 2, 0x3e, false)
	absInt      = differing("vpabsd", "vpabsq", 0x1e, 0x1f, x66, 2, formUnary).small("vpabsb", "vpabsw", 2, 0x1c, 0x1d)
	and         = both("vpandd", "vpandq", x66, 1, 0xdb, formBinary).bitwise()
	andNot      = both("vpandnd", "vpandnq", x66, 1, 0xdf, formBinary).bitwise() // ^a & b
	or          = both("vpord", "vporq", x66, 1, 0xeb, formBinary).bitwise()
	xor         = both("vpxord", "vpxorq", x66, 1, 0xef, formBinary).bitwise()
	shiftLeft   = both("vpsllvd", "vpsllvq", x66, 2, 0x47, formBinary).short("vpsllvw", 2, 0x12, true)
	shiftRight  = both("vpsrlvd", "vpsrlvq", x66, 2, 0x45, formBinary).short("vpsrlvw", 2, 0x10, true)
	shiftSigned = both("vpsravd", "vpsravq", x66, 2, 0x46, formBinary).short("vpsravw", 2, 0x11, true)
	shiftLeftBy = differing("vpslld", "vpsllq", 0x72, 0x73, x66, 1, formShift).short("vpsllw", 1, 0x71, false).withExtension(6)
	shiftDownBy = differing("vpsrld", "vpsrlq", 0x72, 0x73, x66, 1, formShift).short("vpsrlw", 1, 0x71, false).withExtension(2)
	cmpSigned   = both("vpcmpd", "vpcmpq", x66, 3, 0x1f, formBinary).smallBy("vpcmpb", "vpcmpw", 3, 0x3f).withImmediate().makingMask()
	cmpUnsigned = both("vpcmpud", "vpcmpuq", x66, 3, 0x1e, formBinary).smallBy("vpcmpub", "vpcmpuw", 3, 0x3e).withImmediate().makingMask()
	signs       = family{words: one("vpmovd2m", formUnary, xF3, 2, 0x39, false).toMask(), longs: one("vpmovq2m", formUnary, xF3, 2, 0x39, true).toMask()}
	choose      = both("vpblendmd", "vpblendmq", x66, 2, 0x64, formChoose).smallBy("vpblendmb", "vpblendmw", 2, 0x66)
	keep        = family{
		one("vpbroadcastb", formKeep, x66, 2, 0x78, false).broadcasting(1), one("vpbroadcastw", formKeep, x66, 2, 0x79, false).broadcasting(2),
		one("vpbroadcastd", formKeep, x66, 2, 0x58, false).broadcasting(4), one("vpbroadcastq", formKeep, x66, 2, 0x59, true).broadcasting(8),
	}

	testBytes = one("vptestmb", formBinary, x66, 2, 0x26, false).toMask()
	maskBytes = instruction{name: "vpmovm2b", form: formUnary, encoding: encoding{xF3, 2, 0x28, false}, takesMask: true}
	permute   = one("vpermps", formPermute, x66, 2, 0x16, false)

	repeatByte  = one("vpbroadcastb", formRepeat, x66, 2, 0x78, false)
	repeatShort = one("vpbroadcastw", formRepeat, x66, 2, 0x79, false)
	repeatWord  = one("vpbroadcastd", formRepeat, x66, 2, 0x58, false)
	repeatLong  = one("vpbroadcastq", formRepeat, x66, 2, 0x59, true)

	widenFloat      = one("vcvtps2pd", formUnary, none, 1, 0x5a, false)
	narrowFloat     = one("vcvtpd2ps", formUnary, x66, 1, 0x5a, true)
	truncateFloat   = instruction{name: "vcvtpd2ps", form: formUnary, encoding: encoding{x66, 1, 0x5a, true}, towardZero: true}
	widenHalf       = one("vcvtph2ps", formUnary, x66, 2, 0x13, false)
	narrowHalf      = one("vcvtps2ph", formNarrow, x66, 3, 0x1d, false).withByte()
	widenInt        = one("vpmovsxdq", formUnary, x66, 2, 0x25, false)
	widenUint       = one("vpmovzxdq", formUnary, x66, 2, 0x35, false)
	narrowInt       = one("vpmovqd", formNarrow, xF3, 2, 0x35, false)
	widenByteShort  = one("vpmovsxbw", formUnary, x66, 2, 0x20, false)
	widenUbyteShort = one("vpmovzxbw", formUnary, x66, 2, 0x30, false)
	narrowShortByte = one("vpmovwb", formNarrow, xF3, 2, 0x30, false)
	widenByte       = one("vpmovsxbd", formUnary, x66, 2, 0x21, false)
	widenUbyte      = one("vpmovzxbd", formUnary, x66, 2, 0x31, false)
	widenShort      = one("vpmovsxwd", formUnary, x66, 2, 0x23, false)
	widenUshort     = one("vpmovzxwd", formUnary, x66, 2, 0x33, false)
	narrowByte      = one("vpmovdb", formNarrow, xF3, 2, 0x31, false)
	narrowShort     = one("vpmovdw", formNarrow, xF3, 2, 0x33, false)
	intFloat        = one("vcvtdq2ps", formUnary, none, 1, 0x5b, false)
	uintFloat       = one("vcvtudq2ps", formUnary, xF2, 1, 0x7a, false)
	intDouble       = one("vcvtdq2pd", formUnary, xF3, 1, 0xe6, false)
	uintDouble      = one("vcvtudq2pd", formUnary, xF3, 1, 0x7a, false)
	longFloat       = one("vcvtqq2ps", formUnary, none, 1, 0x5b, true)
	ulongFloat      = one("vcvtuqq2ps", formUnary, xF2, 1, 0x7a, true)
	longDouble      = one("vcvtqq2pd", formUnary, xF3, 1, 0xe6, true)
	ulongDouble     = one("vcvtuqq2pd", formUnary, xF3, 1, 0x7a, true)
	floatInt        = one("vcvttps2dq", formUnary, xF3, 1, 0x5b, false)
	floatLong       = one("vcvttps2qq", formUnary, x66, 1, 0x7a, false)
	doubleInt       = one("vcvttpd2dq", formUnary, x66, 1, 0xe6, true)
	doubleLong      = one("vcvttpd2qq", formUnary, x66, 1, 0x7a, true)
	andMasks        = one("kandq", formMasks, none, 1, 0x41, true).toMask()
	andNotMasks     = one("kandnq", formMasks, none, 1, 0x42, true).toMask() // ^a & b
	orMasks         = one("korq", formMasks, none, 1, 0x45, true).toMask()
	sameMasks       = one("kxnorq", formMasks, none, 1, 0x46, true).toMask()
	xorMasks        = one("kxorq", formMasks, none, 1, 0x47, true).toMask()
	notMask         = one("knotq", formNot, none, 1, 0x44, true).toMask()
	loadInput       = instruction{name: "load", form: formLoad}
	scalarInput     = instruction{name: "scalar", form: formScalar}
	rowOfScalars    = one("vmovups", formRow, none, 1, 0x10, false)
)

// repeat holds the instructions that fill a vector with a scalar, of 1, 2, 4 and 8 bytes.
var repeat = map[int]*instruction{1: &repeatByte, 2: &repeatShort, 4: &repeatWord, 8: &repeatLong}

// moveBySize holds the instructions that load and store vectors: of elements of 1, 2, 4 and 8
// bytes, which masks count.
var moveBySize = map[int]struct{ load, store encoding }{
	1: {encoding{xF2, 1, 0x6f, false}, encoding{xF2, 1, 0x7f, false}}, // vmovdqu8
	2: {encoding{xF2, 1, 0x6f, true}, encoding{xF2, 1, 0x7f, true}},   // vmovdqu16
	4: {encoding{none, 1, 0x10, false}, encoding{none, 1, 0x11, false}},
	8: {encoding{x66, 1, 0x10, true}, encoding{x66, 1, 0x11, true}},
}

var (
	loadEight  = encoding{xF3, 1, 0x7e, true} // vmovq
	storeEight = encoding{x66, 1, 0xd6, true}
	stream     = encoding{none, 1, 0x2b, false} // vmovntps
	moveVector = encoding{none, 1, 0x28, false} // vmovaps
	maskOf     = encoding{xF2, 1, 0x92, true}   // kmovq
)

// Predicates of comparisons of floats, false of NaN but for the last four.
const (
	floatEqual     = 0x00
	floatLess      = 0x11
	floatLessEqual = 0x12
	floatGreater   = 0x1e
	floatGreaterEq = 0x1d
	floatNotEqual  = 0x04
	floatUnordered = 0x03
	floatNotLE     = 0x16
)

// Predicates of comparisons of integers.
const (
	intEqual     = 0
	intLess      = 1
	intLessEqual = 2
	intNotEqual  = 4
	intNotLess   = 5
	intGreater   = 6
)

// Roundings of round.
const (
	roundNearest = 0
	roundDown    = 1
	roundUp      = 2
	roundZero    = 3
)
