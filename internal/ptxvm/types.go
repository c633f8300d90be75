package ptxvm

import "strconv"

// A kind is a type of PTX: what its bits mean, and how many they are.
type kind struct {
	class byte // 'b' bits, 'u' and 's' integers, 'f' floats, 'p' predicates
	bits  int
}

var predicate = kind{'p', 1}

// kinds holds the types of registers and memory by their names. Registers have 16 bits at least.
var kinds = map[string]kind{
	"pred": predicate,
	"b8":   {'b', 8}, "b16": {'b', 16}, "b32": {'b', 32}, "b64": {'b', 64},
	"u8": {'u', 8}, "u16": {'u', 16}, "u32": {'u', 32}, "u64": {'u', 64},
	"s8": {'s', 8}, "s16": {'s', 16}, "s32": {'s', 32}, "s64": {'s', 64},
	"f16": {'f', 16}, "f32": {'f', 32}, "f64": {'f', 64},
}

// String is the name of k.
func (k kind) String() string {
	if k == predicate {
		return "pred"
	}
	return string(k.class) + strconv.Itoa(k.bits)
}

func (k kind) bytes() int { return k.bits / 8 }

func (k kind) isInteger() bool { return k.class == 'u' || k.class == 's' }

// holds reports whether an instruction may take a register of kind k for an operand of kind want:
// bits hold anything of their size, and integers do not care for signs.
func (k kind) holds(want kind) bool {
	return k.bits == want.bits && (k.class == want.class || k != predicate && want != predicate &&
		(k.class == 'b' || want.class == 'b' || k.isInteger() && want.isInteger()))
}

// holdsWider is holds where registers may have more bits than the operand: of loads, stores and
// conversions of integers.
func (k kind) holdsWider(want kind) bool {
	return k.holds(want) || want != predicate && want.class != 'f' && k.bits > want.bits && (k.class == 'b' || k.isInteger())
}

// mask has the bits of a value of kind k.
func (k kind) mask() uint64 { return 1<<(k.bits-1)<<1 - 1 }
