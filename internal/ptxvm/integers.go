package ptxvm

import "math/bits"

// signed returns the number in the low bits of a register.
func signed(a uint64, size int) int64 { return int64(a<<(64-size)) >> (64 - size) }

// addIntegers adds arithmetic on integers. All of it wraps.
func (t table) addIntegers() {
	for _, size := range []int{16, 32, 64} {
		for _, class := range []byte{'u', 's'} {
			t.addInteger(kind{class, size})
		}
	}
}

func (t table) addInteger(k kind) {
	mask, name := k.mask(), "."+k.String()
	binary := func(op string, f func(a, b uint64) uint64) { t.add(op+name, map2(f), k, k, k) }

	binary("add", func(a, b uint64) uint64 { return (a + b) & mask })
	binary("sub", func(a, b uint64) uint64 { return (a - b) & mask })
	binary("mul.lo", func(a, b uint64) uint64 { return a * b & mask })
	t.add("mad.lo"+name, map3(func(a, b, c uint64) uint64 { return (a*b + c) & mask }), k, k, k, k)

	if k.class == 's' {
		t.addSigned(k)
	} else {
		t.addUnsigned(k)
	}
	for _, op := range []string{"div", "rem"} {
		t[op+name].divides = true
	}
}

func (t table) addUnsigned(k kind) {
	size, name := k.bits, "."+k.String()
	binary := func(op string, f func(a, b uint64) uint64) { t.add(op+name, map2(f), k, k, k) }

	binary("min", func(a, b uint64) uint64 { return min(a, b) })
	binary("max", func(a, b uint64) uint64 { return max(a, b) })
	binary("div", func(a, b uint64) uint64 { return a / max(b, 1) })
	binary("rem", func(a, b uint64) uint64 { return a % max(b, 1) })
	binary("mul.hi", func(a, b uint64) uint64 {
		hi, lo := bits.Mul64(a, b)
		if size == 64 {
			return hi
		}
		return lo >> size
	})
	if size < 64 {
		wide := kind{k.class, 2 * size}
		t.add("mul.wide"+name, map2(func(a, b uint64) uint64 { return a * b }), wide, k, k)
		t.add("mad.wide"+name, map3(func(a, b, c uint64) uint64 { return (a*b + c) & wide.mask() }), wide, k, k, wide)
	}
}

func (t table) addSigned(k kind) {
	size, mask, name := k.bits, k.mask(), "."+k.String()
	binary := func(op string, f func(a, b int64) int64) {
		t.add(op+name, map2(func(a, b uint64) uint64 { return uint64(f(signed(a, size), signed(b, size))) & mask }), k, k, k)
	}
	unary := func(op string, f func(a int64) int64) {
		t.add(op+name, map1(func(a uint64) uint64 { return uint64(f(signed(a, size))) & mask }), k, k)
	}

	unary("neg", func(a int64) int64 { return -a })
	unary("abs", func(a int64) int64 { return max(a, -a) })
	binary("min", func(a, b int64) int64 { return min(a, b) })
	binary("max", func(a, b int64) int64 { return max(a, b) })
	binary("div", func(a, b int64) int64 { return a / orOne(b) })
	binary("rem", func(a, b int64) int64 { return a % orOne(b) })
	binary("mul.hi", func(a, b int64) int64 {
		if size == 64 {
			hi, _ := bits.Mul64(uint64(a), uint64(b))
			return int64(hi) - a>>63&b - b>>63&a
		}
		return a * b >> size
	})
	if size < 64 {
		wide := kind{k.class, 2 * size}
		product := func(a, b uint64) uint64 { return uint64(signed(a, size) * signed(b, size)) }
		t.add("mul.wide"+name, map2(func(a, b uint64) uint64 { return product(a, b) & wide.mask() }), wide, k, k)
		t.add("mad.wide"+name, map3(func(a, b, c uint64) uint64 { return (product(a, b) + c) & wide.mask() }), wide, k, k, wide)
	}
}

// orOne is b, or 1 where a thread that does not take part would divide by 0.
func orOne(b int64) int64 {
	if b == 0 {
		return 1
	}
	return b
}
