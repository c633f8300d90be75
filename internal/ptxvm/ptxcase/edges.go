package ptxcase

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// How many rows there are, by the number of operands from 1 on. All are multiples of BlockThreads.
var rowsOf = [...]int{1: 256, 2: 1024, 3: 1024}

// rows returns rows of operands: each edge alone, half of the rows pairs of edges, and random ones.
func (c *Case) rows(r *rand.Rand) (words []uint64) {
	n := len(c.Operands)
	var all [][]uint64
	for _, typ := range c.Operands {
		all = append(all, edges(typ))
	}

	add := func(row ...uint64) {
		if c.Divides && row[n-1]&maskOf(c.Operands[n-1]) == 0 {
			row[n-1] = 1
		}
		words = append(words, row...)
	}
	most := rowsOf[n] * n // words
	if n == 1 {
		for _, a := range all[0] {
			add(a)
		}
	}
	if n == 2 {
		for _, a := range all[0] {
			for _, b := range all[1] {
				if r.IntN(len(all[0])*len(all[1])) < most/n/2 {
					add(a, b)
				}
			}
		}
	}
	for len(words) < most {
		var row []uint64
		for k, typ := range c.Operands {
			row = append(row, draw(r, typ, all[k]))
		}
		if n == 3 && c.Operands[2][0] == 'f' && r.IntN(3) == 0 {
			row[2] = cancel(r, c.Operands[2], row[0], row[1])
		}
		add(row...)
	}
	return words
}

// draw returns an edge, or random bits.
func draw(r *rand.Rand, typ string, edges []uint64) uint64 {
	switch {
	case r.IntN(2) == 0:
		return edges[r.IntN(len(edges))]
	case typ == "f32" && r.IntN(2) == 0:
		return uint64(math.Float32bits(float32(r.NormFloat64())))
	case typ == "f64" && r.IntN(2) == 0:
		return math.Float64bits(r.NormFloat64())
	}
	return r.Uint64()
}

// cancel returns about -a·b: the sum with it shows how often the product was rounded.
func cancel(r *rand.Rand, typ string, a, b uint64) uint64 {
	near := 1 + math.Ldexp(float64(r.IntN(5)-2), -r.IntN(50))
	if typ == "f32" {
		x, y := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
		return uint64(math.Float32bits(float32(-float64(x) * float64(y) * near)))
	}
	return math.Float64bits(-math.Float64frombits(a) * math.Float64frombits(b) * near)
}

func randomWords(r *rand.Rand, n int) (words []uint64) {
	for range n {
		words = append(words, r.Uint64())
	}
	return words
}

// bitsOf is the number of bits of a type.
func bitsOf(typ string) int {
	if typ == "pred" {
		return 1
	}
	n, err := strconv.Atoi(strings.TrimLeft(typ, "busf"))
	if err != nil {
		panic("BUG: ptxcase: no type: " + typ) // types are those of the table of cases, all of which a test runs
	}
	return n
}

func maskOf(typ string) uint64 { return 1<<(bitsOf(typ)-1)<<1 - 1 }

// edges returns the values of a type at which results change their kind. They are distinct.
func edges(typ string) (all []uint64) {
	switch typ {
	case "pred":
		return []uint64{0, 1}
	case "f16":
		return []uint64{
			0, 0x8000, 1, 0x8001, 0x3ff, 0x400, 0x83ff, 0x8400, 0x3bff, 0x3c00, 0x3c01, 0xbc00, 0x3800, 0x3e00, 0x4100, 0x57f8, 0x5800, 0x5bf8,
			0x5c00, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7c01,
		}
	case "f32":
		for _, x := range floatEdges {
			all = append(all, uint64(math.Float32bits(float32(x))))
		}
		all = append(all, 0x7f800001, 0x007fffff, 0x3f7fffff, 0x3f800001)
	case "f64":
		for _, x := range floatEdges {
			all = append(all, math.Float64bits(x))
		}
		all = append(all, 0x7ff0000000000001, 0x000fffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000001)
	default:
		bits, mask := bitsOf(typ), maskOf(typ)
		for _, v := range []uint64{0, 1, 2, 3, 7, 8, 10, 15, 16, 31, 32, 33, 63, 64, 65, 100, 255, 256, 0x5555555555555555, 0x7654321076543210} {
			all = append(all, v&mask, -v&mask)
		}
		top := uint64(1) << (bits - 1)
		all = append(all, top, top-1, top+1, top>>1, 1<<(bits/2)-1, 1<<(bits/2))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// floatEdges are floats that round, overflow or vanish in some conversion or operation.
var floatEdges = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49999999999999994, 3, 10, -7.9, math.Inf(1), math.Inf(-1), math.NaN(),
	math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, 0x1p-1021, math.MaxFloat32, -math.MaxFloat32, 0x1.ffffffp127,
	math.SmallestNonzeroFloat32, 0x1p-150, 0x1.8p-149, 0x1p-126, 0x1.fffffcp-127, 65504, 65519.9, 65520, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-14,
	127, 127.5, 128, -128, -128.5, -129, 255, 255.5, 256, 32767.5, -32768.5, 65535.5, 0x1p31, 0x1p31 - 1, 0x1p31 - 0.5, -0x1p31, -0x1p31 - 1,
	0x1p32, 0x1p32 - 1, 0x1p53, 0x1p53 + 2, 0x1p63, -0x1p63, 0x1.fffffffffffffp62, 0x1.fffffep62, 0x1p64, 0x1.fffffep63, 0x1p24 + 1, 1e10, -1e10, 1e300,
}
