package ptxvm

import "math/bits"

// addBits adds operations on bits.
func (t table) addBits() {
	for _, k := range []kind{predicate, {'b', 16}, {'b', 32}, {'b', 64}} {
		mask, name := k.mask(), "."+k.String()
		t.add("and"+name, map2(func(a, b uint64) uint64 { return a & b }), k, k, k)
		t.add("or"+name, map2(func(a, b uint64) uint64 { return a | b }), k, k, k)
		t.add("xor"+name, map2(func(a, b uint64) uint64 { return a ^ b }), k, k, k)
		t.add("not"+name, map1(func(a uint64) uint64 { return ^a & mask }), k, k)
		if k != predicate {
			t.addShifts(k.bits)
		}
	}

	count := kind{'u', 32}
	for _, size := range []int{32, 64} {
		k := kind{'b', size}
		t.add("popc."+k.String(), map1(func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) }), count, k)
		t.add("clz."+k.String(), map1(func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a) - 64 + size) }), count, k)
		t.addFields(kind{'u', size})
		t.addFields(kind{'s', size})
	}

	word := kind{'b', 32}
	t.add("prmt.b32", map3(permute), word, word, word, word)
}

// addShifts adds shifts by a number of bits, of which those beyond the size count as the size.
func (t table) addShifts(size int) {
	count := kind{'u', 32}
	k, u, s := kind{'b', size}, kind{'u', size}, kind{'s', size}
	down := map2(func(a, n uint64) uint64 { return a >> n })
	t.add("shl."+k.String(), map2(func(a, n uint64) uint64 { return a << n & k.mask() }), k, k, count)
	t.add("shr."+k.String(), down, k, k, count)
	t.add("shr."+u.String(), down, u, u, count)
	t.add("shr."+s.String(), map2(func(a, n uint64) uint64 { return uint64(signed(a, size)>>n) & k.mask() }), s, s, count)
}

// addFields adds the instruction that takes some bits of a number: from where on, and how many.
func (t table) addFields(k kind) {
	count := kind{'u', 32}
	t.add("bfe."+k.String(), map3(func(a, first, n uint64) uint64 {
		first, n = first&0xff, n&0xff
		if n == 0 {
			return 0
		}
		sign := uint64(0)
		if k.class == 's' {
			sign = -(a >> min(first+n-1, uint64(k.bits-1)) & 1)
		}
		field := uint64(1)<<n - 1 // all bits of 64 and more
		return (a>>first&field | sign&^(field&(k.mask()>>first))) & k.mask()
	}), k, k, count, count)
}

// permute makes four bytes of eight, those of a and then of b. Four bits of the selector say which
// each is, and whether only its sign is taken.
func permute(a, b, selector uint64) (d uint64) {
	all := a | b<<32
	for i := range 4 {
		choice := selector >> (4 * i)
		v := all >> (8 * (choice & 7)) & 0xff
		if choice&8 != 0 {
			v = -(v >> 7) & 0xff
		}
		d |= v << (8 * i)
	}
	return d
}
