package main

import "strings"

// typesOfSize names the types whose elements have a number of bytes, the shortest name first.
var typesOfSize = map[int][]string{
	1: {"Int8", "Uint8", "Bool", "Float8E4M3FN", "Float8E5M2"},
	2: {"Int16", "Uint16", "Float16", "BFloat16"},
	4: {"Int32", "Uint32", "Float32"},
	8: {"Int64", "Uint64", "Float64", "Complex64"},
}

// emitMove emits what moves elements, whatever they mean: Copy, and Where.
func emitMove(k *asm) {
	for _, size := range []int{1, 2, 4, 8} {
		k.emitCopy(size)
		k.emitWhere(size)
	}
	k.emitCopyPairs()
	for _, size := range []int{1, 2, 4, 8, 16} {
		typ := append(typesOfSize[size], "Complex128")[0]
		k.gathers = append(k.gathers, registration{fn: k.funcName("Copy", typ, 1), size: size})
	}
}

func startCopy(*asm) func([][]value) []value {
	return each(func(x ...value) value { return x[0] })
}

// emitCopies emits Copy for types whose elements have size bytes, of one or two numbers of part
// bytes: from a vector and of a scalar, and both past the caches.
func (k *asm) emitCopies(l loop, part, size int, types ...string) {
	o := operation{op: "Copy", formula: "a", operands: 1, scalars: []int{1}}
	k.emitOperation(o, l, part, types...)
	for form := range 2 {
		fn := k.emitStream(k.formOf(o, l, part, form, types[0]))
		k.streams = append(k.streams, registration{fn: fn, size: size, form: form})
	}
}

func (k *asm) emitCopy(size int) {
	types := typesOfSize[size]
	k.emitCopies(loop{start: startCopy}, size, size, types...)
	name := k.funcName("Copy", types[0], 0)

	for _, from := range types {
		for _, to := range types {
			if from == to && from != "Bool" || isInteger(from) && isInteger(to) {
				k.registerConvert(name, from, to)
			}
		}
	}

	for _, t := range types {
		if isInteger(t) {
			k.register(name, "Floor", 0, t)
			k.register(name, "Ceil", 0, t)
			k.register(name, "Trunc", 0, t)
		}
		if strings.HasPrefix(t, "Uint") {
			k.register(name, "Abs", 0, t)
			k.register(name, "Relu", 0, t)
		}
	}
}

// emitCopyPairs emits Copy for elements of 16 bytes.
func (k *asm) emitCopyPairs() {
	k.emitCopies(loop{start: startCopy, pairs: true}, 8, 16, "Complex128")
	name := k.funcName("Copy", "Complex128", 0)
	k.registerConvert(name, "Complex128", "Complex128")
}

func isInteger(t string) bool { return strings.HasPrefix(t, "Int") || strings.HasPrefix(t, "Uint") }

func (k *asm) emitWhere(size int) {
	var types []string
	for _, t := range typesOfSize[size] {
		if t != "Float8E4M3FN" && t != "Float8E5M2" && t != "Float16" && t != "BFloat16" {
			types = append(types, t)
		}
	}

	n := integer{asm: k, size: size}
	o := operation{op: "Where", formula: "a ? b : c", operands: 3, scalars: []int{2, 4, 6}}
	k.emitOperation(o, loop{args: []arg{{size: 1}}, start: func(*asm) func([][]value) []value {
		mask, opposite := n.startMask()
		return each(func(x ...value) value {
			if opposite {
				return n.choose(mask(x[0]), x[2], x[1])
			}
			return n.choose(mask(x[0]), x[1], x[2])
		})
	}}, size, types...)
}

// startMask emits the constants of what makes a mask of bools, for elements of n's size, and
// returns what emits it; or the mask of the opposite, if it says so.
func (n integer) startMask() (mask func(bools value) value, opposite bool) {
	if n.wide() {
		return func(bools value) value {
			m := n.K()
			n.VPTESTMB(bools, bools, m)
			return m
		}, false
	}
	zero := n.zero()
	if n.size == 1 {
		return func(bools value) value { return n.op(n.VPCMPEQB, zero, bools) }, true
	}
	widen := n.bySize(nil, n.VPMOVZXBW, n.VPMOVZXBD, n.VPMOVZXBQ)
	positive := n.bySize(nil, n.VPCMPGTW, n.VPCMPGTD, n.VPCMPGTQ)
	return func(bools value) value { return n.op(positive, zero, n.op(widen, bools)) }, false
}
