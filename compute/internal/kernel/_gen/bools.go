package main

import "github.com/mmcloughlin/avo/operand"

// each makes of what emits one step what emits several.
func each(step func(x ...value) value) func(in [][]value) []value {
	return func(in [][]value) []value {
		out := make([]value, len(in[0]))
		for j := range out {
			x := make([]value, len(in))
			for i := range x {
				x[i] = in[i][j]
			}
			out[j] = step(x...)
		}
		return out
	}
}

// packBools returns what turns the masks of 1 or 4 steps, of elements of size bytes, into bools, or
// into their opposites (with AVX2 only). It belongs before the loop.
func (k *asm) packBools(size int, opposite bool) func(masks []value) []value {
	one := k.broadcast(1, 1)
	if k.wide() {
		return func(masks []value) []value {
			sizeBytes := k.width / size
			return k.eachOf(masks, func(m value) value {
				return k.opOf(sizeBytes, of3(k.VMOVDQU8_Z), narrow(one, sizeBytes), m)
			})
		}
	}

	pack := map[int]func([]value) []value{1: k.packBytes, 2: k.packWords, 4: k.packDoublewords, 8: k.packQuadwords}[size]
	and := k.VPAND
	if opposite {
		and = func(one, m, d value) { k.VPANDN(one, m, d) }
	}

	return func(masks []value) []value {
		return k.eachOf(pack(masks), func(m value) value {
			d := k.like(m)
			and(likeOf(one, m), m, d)
			return d
		})
	}
}

func (k *asm) eachOf(xs []value, f func(value) value) []value {
	out := make([]value, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}

// The following pack masks of AVX2 into bytes.

func (k *asm) packBytes(masks []value) []value { return masks }

func (k *asm) packWords(masks []value) []value {
	if len(masks) == 1 {
		return []value{k.packHalves(k.VPACKSSWB, masks[0])}
	}
	var out []value
	for ; len(masks) > 0; masks = masks[2:] {
		// The lanes of both come in turn.
		out = append(out, k.swapMiddle(k.op(k.VPACKSSWB, masks[1], masks[0])))
	}
	return out
}

func (k *asm) packDoublewords(masks []value) []value {
	if len(masks) == 1 {
		words := k.packHalves(k.VPACKSSDW, masks[0])
		return []value{k.opOf(8, k.VPACKSSWB, words, words)}
	}
	bytes := k.op(k.VPACKSSWB, k.op(k.VPACKSSDW, masks[3], masks[2]), k.op(k.VPACKSSDW, masks[1], masks[0]))
	return []value{k.op(k.VPERMD, bytes, k.inOrder())}
}

func (k *asm) packQuadwords(masks []value) []value {
	if len(masks) == 1 {
		low, high := k.halves(masks[0])
		doublewords := k.XMM()
		k.VSHUFPS(operand.Imm(0x88), high, low, doublewords)
		words := k.opOf(8, k.VPACKSSDW, doublewords, doublewords)
		return []value{k.opOf(4, k.VPACKSSWB, words, words)}
	}
	even := func(a, b value) value { // of the doublewords of both, lane by lane
		return k.op(k.VSHUFPS, operand.Imm(0x88), b, a)
	}
	low, high := k.halves(k.op(k.VPACKSSDW, even(masks[2], masks[3]), even(masks[0], masks[1])))
	low, high = k.opOf(16, k.VPACKSSWB, low, low), k.opOf(16, k.VPACKSSWB, high, high)
	return []value{k.opOf(16, k.VPUNPCKLWD, high, low)}
}

// packHalves packs the halves of a.
func (k *asm) packHalves(pack instruction, a value) value {
	low, high := k.halves(a)
	return k.opOf(16, pack, high, low)
}

// halves are the two halves of a YMM register.
func (k *asm) halves(a value) (low, high value) {
	h := k.XMM()
	k.VEXTRACTI128(operand.Imm(1), a, h)
	return narrow(a, 16), h
}

// swapMiddle exchanges the two quadwords in the middle of a YMM register.
func (k *asm) swapMiddle(a value) value {
	return k.op(k.VPERMQ, operand.Imm(0xd8), a)
}

// inOrder is the order of doublewords for VPERMD that undoes two rounds of packing.
func (k *asm) inOrder() value {
	r := k.vec()
	k.VMOVUPS(k.data("inorder", 4, 0, 4, 1, 5, 2, 6, 3, 7), r)
	return r
}
