package jit

import "encoding/binary"

// General registers by their numbers.
const (
	rax = 0
	rcx = 1
	rdx = 2
	rbx = 3
	rsi = 6
	rdi = 7
)

// An assembler appends the bytes of instructions. Registers are numbers: vector registers 0 to 31,
// masks 0 to 7, general registers 0 to 15.
type assembler struct{ code []byte }

// An encoding is the part of an instruction that all its uses share.
type encoding struct {
	prefix byte // 0: none, 1: 66, 2: F3, 3: F2
	space  byte // opcode map: 1: 0F, 2: 0F38, 3: 0F3A
	opcode byte
	wide   bool // W
}

// The prefixes.
const (
	none = iota
	x66
	xF3
	xF2
)

// An rm is the operand that an instruction's r/m field encodes: a register, or memory at base +
// index·scale + disp.
type rm struct {
	register    int
	memory      bool
	base, index int // general registers; an index of -1 is none
	scale       int
	disp        int32
	broadcast   bool // one element of memory stands for a vector
	towardZero  bool // of a register: how the instruction rounds, which works on whole vectors then
}

func register(r int) rm { return rm{register: r} }

// A masking says which lanes an instruction works on: all, those of a mask with the others left as
// they are, or those with the others zero.
type masking struct {
	mask int // 0: all
	zero bool
}

// evex appends an instruction on vectors of some bytes.
func (a *assembler) evex(e encoding, bytes, reg, vvvv int, p rm, m masking) {
	rmBit3, rmBit4 := p.register>>3&1, p.register>>4&1
	if p.memory {
		rmBit3, rmBit4 = p.base>>3&1, 0
		if p.index >= 0 {
			rmBit4 = p.index >> 3 & 1
		}
	}

	length := map[int]byte{16: 0, 32: 1, 64: 2}[bytes]
	// The bytes are R X B R' 0 mmm, W vvvv 1 pp, and z L'L b V' aaa. R, X, B, R', vvvv and V' hold
	// the high bits of register numbers, inverted. (Intel's manual, volume 2, section 2.7.1.)
	p0 := inverted(reg>>3, 7) | inverted(rmBit4, 6) | inverted(rmBit3, 5) | inverted(reg>>4, 4) | e.space
	p1 := bit(e.wide, 7) | byte(^vvvv&15)<<3 | 1<<2 | e.prefix
	if p.towardZero {
		length = 3
	}
	p2 := bit(m.zero, 7) | length<<5 | bit(p.broadcast || p.towardZero, 4) | inverted(vvvv>>4, 3) | byte(m.mask)

	a.code = append(a.code, 0x62, p0, p1, p2, e.opcode)
	a.operand(reg, p)
}

// vex appends an instruction on masks, general registers or vectors of AVX2; long is L.
func (a *assembler) vex(e encoding, long bool, reg, vvvv int, p rm) {
	index, base := 0, p.register
	if p.memory {
		index, base = max(p.index, 0), p.base
	}
	a.code = append(a.code, 0xc4, inverted(reg>>3, 7)|inverted(index>>3, 6)|inverted(base>>3, 5)|e.space,
		bit(e.wide, 7)|byte(^vvvv&15)<<3|bit(long, 2)|e.prefix, e.opcode)
	a.operand(reg, p)
}

// general appends an instruction on 64-bit registers, whose opcode may have several bytes.
func (a *assembler) general(reg int, p rm, opcode ...byte) {
	rex := byte(0x48) | byte(reg>>3&1)<<2
	if p.memory {
		rex |= byte(p.base >> 3 & 1)
	} else {
		rex |= byte(p.register >> 3 & 1)
	}
	a.code = append(append(a.code, rex), opcode...)
	a.operand(reg, p)
}

// operand appends ModRM, SIB and displacement.
func (a *assembler) operand(reg int, p rm) {
	field := byte(reg&7) << 3
	if !p.memory {
		a.code = append(a.code, 0xc0|field|byte(p.register&7))
		return
	}

	// mod 2 has a displacement of 4 bytes, mod 0 none. A base of rbp or r13 always needs one.
	mod := byte(0x80)
	if p.disp == 0 && p.base&7 != 5 {
		mod = 0
	}

	// A SIB byte is always written, as rsp and r12 need one as a base. Index 4 stands for no index.
	index, scale := byte(4), byte(0)
	if p.index >= 0 {
		index, scale = byte(p.index&7), map[int]byte{1: 0, 2: 1, 4: 2, 8: 3}[p.scale]
	}

	a.code = append(a.code, mod|field|4, scale<<6|index<<3|byte(p.base&7))
	if mod != 0 {
		a.code = binary.LittleEndian.AppendUint32(a.code, uint32(p.disp))
	}
}

func (a *assembler) immediate(b byte) { a.code = append(a.code, b) }

// jump appends a jump, by an opcode with a displacement of 32 bits, and returns where that is, for
// land.
func (a *assembler) jump(opcode ...byte) int {
	a.code = append(a.code, opcode...)
	a.code = append(a.code, 0, 0, 0, 0)
	return len(a.code)
}

// land makes the jump which ends at from go to to.
func (a *assembler) land(from, to int) {
	binary.LittleEndian.PutUint32(a.code[from-4:], uint32(int32(to-from)))
}

// align appends instructions that do nothing up to a multiple of n.
func (a *assembler) align(n int) {
	for len(a.code)%n != 0 {
		a.code = append(a.code, 0x90)
	}
}

// The rest of the instructions that loops are made of.

func (a *assembler) move(dst, src int)    { a.general(src, register(dst), 0x89) }
func (a *assembler) subtract(dst, by int) { a.general(by, register(dst), 0x29) }
func (a *assembler) compare(x, y int)     { a.general(y, register(x), 0x39) }

func (a *assembler) load(dst, base int, disp int32) {
	a.general(dst, rm{memory: true, base: base, index: -1, disp: disp}, 0x8b)
}

// arithmetic appends an operation on a register and a number: 0 adds it, 1 is its bitwise or, 5
// subtracts it, 7 compares it.
func (a *assembler) arithmetic(op, dst int, n int32) {
	a.general(op, register(dst), 0x81)
	a.code = binary.LittleEndian.AppendUint32(a.code, uint32(n))
}

// set makes a register of the first eight a number that is not negative.
func (a *assembler) set(dst int, n int32) {
	a.code = binary.LittleEndian.AppendUint32(append(a.code, 0xb8|byte(dst)), uint32(n))
}

var (
	greater    = []byte{0x0f, 0x8f}
	notGreater = []byte{0x0f, 0x8e}
	always     = []byte{0xe9}
	zeroUpper  = []byte{0xc5, 0xf8, 0x77}
	fence      = []byte{0x0f, 0xae, 0xf8}
	ret        = byte(0xc3)
)

// lowBits sets dst to the lowest bits of src, as many as count says, but 64 at most; count must be
// less than 256.
func (a *assembler) lowBits(dst, src, count int) {
	a.vex(encoding{none, 2, 0xf5, true}, false, dst, count, register(src))
}

func inverted(b, shift int) byte { return byte(^b&1) << shift }

func bit(b bool, shift int) byte {
	if b {
		return 1 << shift
	}
	return 0
}
