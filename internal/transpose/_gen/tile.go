package main

import (
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A tile is what the code of one tile works with.
//
// Bytes and words are transposed as wider elements. Unpacking interleaves the elements of two rows
// into pairs that move together from there on. Each of its two results holds the pairs of half of
// the columns.
type tile struct {
	kernel
	dst, dstStride reg.GPVirtual
	scratch        rows
}

// rows is where the rows of a tile are: offset bytes from at on and stride bytes apart, or side by
// side where stride is nil.
type rows struct {
	at     reg.GPVirtual
	offset int
	stride reg.GPVirtual
}

// row returns row i of a tile whose rows are side by side.
func (t tile) row(r rows, i int) Mem { return Mem{Base: r.at, Disp: r.offset + i*int(t.width)} }

// from returns r without its first rows.
func (t tile) from(r rows, first int) rows {
	r.offset += first * int(t.width)
	return r
}

// loadRows loads n rows and gives each to use.
func (t tile) loadRows(from rows, n int, use func(i int, row reg.VecVirtual)) {
	if from.stride == nil {
		for i := range n {
			row := t.register()
			t.VMOVUPS(t.row(from, i), row)
			use(i, row)
		}
		return
	}

	// Rows at a variable distance need an address that steps from one to the next.
	at := t.GP64()
	t.MOVQ(from.at, at)
	for i := range n {
		row := t.register()
		t.VMOVUPS(Mem{Base: at}, row)
		use(i, row)
		if i < n-1 {
			t.ADDQ(from.stride, at)
		}
	}
}

// transpose is the code of one tile.
func (t tile) transpose(from rows) {
	switch t.size {
	case 1:
		t.bytes(from)
	case 2:
		t.words(from, func(word int) int { return word })
	case 4:
		t.columns(t.dwords(t.loadAll(from)), func(col int) int { return col })
	case 8:
		t.columns(t.qwords(t.loadAll(from)), func(col int) int { return col })
	case 16:
		t.columns(t.lanes(t.loadAll(from)), func(col int) int { return col })
	}
}

func (t tile) loadAll(from rows) []reg.VecVirtual {
	r := make([]reg.VecVirtual, int(t.width)/t.size)
	t.loadRows(from, len(r), func(i int, row reg.VecVirtual) { r[i] = row })
	return r
}

// bytes makes two tiles of words in scratch memory.
func (t tile) bytes(from rows) {
	lower, upper := t.scratch, t.from(t.scratch, t.side()/2)

	var even reg.VecVirtual
	// Interleave the bytes of each two rows into words. Half of the columns are in the lower halves
	// of the lanes, half in the upper.
	t.loadRows(from, t.side(), func(i int, row reg.VecVirtual) {
		if i%2 == 0 {
			even = row
			return
		}
		lo, hi := t.register(), t.register()
		t.VPUNPCKLBW(row, even, lo)
		t.VPUNPCKHBW(row, even, hi)
		t.VMOVUPS(lo, t.row(lower, i/2))
		t.VMOVUPS(hi, t.row(upper, i/2))
	})

	t.scratch = t.from(t.scratch, t.side())
	t.words(lower, func(word int) int { return word/8*16 + word%8 })
	t.words(upper, func(word int) int { return word/8*16 + 8 + word%8 })
}

// words transposes a tile of words. column says which row of the destination a column of them
// becomes.
func (t tile) words(from rows, column func(word int) int) {
	n := int(t.width) / 4
	lo := make([]reg.VecVirtual, n)

	var even reg.VecVirtual
	// Interleave the words of each two rows into double words. The upper halves wait in scratch
	// memory: there are too few registers for both.
	t.loadRows(from, 2*n, func(i int, row reg.VecVirtual) {
		if i%2 == 0 {
			even = row
			return
		}
		hi := t.register()
		lo[i/2] = t.register()
		t.VPUNPCKLWD(row, even, lo[i/2])
		t.VPUNPCKHWD(row, even, hi)
		t.VMOVUPS(hi, t.row(t.scratch, i/2))
	})

	t.columns(t.dwords(lo), func(col int) int { return column(col/4*8 + col%4) })

	// The lower halves are stored: their registers are free for the upper ones.
	hi := make([]reg.VecVirtual, n)
	t.loadRows(t.scratch, n, func(i int, row reg.VecVirtual) { hi[i] = row })
	t.columns(t.dwords(hi), func(col int) int { return column(col/4*8 + 4 + col%4) })
}

// dwords returns the columns of a tile of elements of 4 bytes.
func (t tile) dwords(r []reg.VecVirtual) []reg.VecVirtual {
	pairs := make([]reg.VecVirtual, len(r))
	for i := 0; i < len(r); i += 2 {
		pairs[i], pairs[i+1] = t.register(), t.register()
		t.VUNPCKLPS(r[i+1], r[i], pairs[i])
		t.VUNPCKHPS(r[i+1], r[i], pairs[i+1])
	}
	quads := make([]reg.VecVirtual, len(r)) // quads[i+k]: column k of each lane, rows i to i+3
	for i := 0; i < len(r); i += 4 {
		for k := range 2 {
			quads[i+2*k], quads[i+2*k+1] = t.register(), t.register()
			t.VUNPCKLPD(pairs[i+2+k], pairs[i+k], quads[i+2*k])
			t.VUNPCKHPD(pairs[i+2+k], pairs[i+k], quads[i+2*k+1])
		}
	}
	return t.gather(quads, 4)
}

// qwords returns the columns of a tile of elements of 8 bytes.
func (t tile) qwords(r []reg.VecVirtual) []reg.VecVirtual {
	pairs := make([]reg.VecVirtual, len(r))
	for i := 0; i < len(r); i += 2 {
		pairs[i], pairs[i+1] = t.register(), t.register()
		t.VUNPCKLPD(r[i+1], r[i], pairs[i])
		t.VUNPCKHPD(r[i+1], r[i], pairs[i+1])
	}
	return t.gather(pairs, 2)
}

// gather returns the columns of a tile whose lanes of 16 bytes are transposed: part[i+k] has column
// k of each lane with the rows i to i+perLane-1.
func (t tile) gather(part []reg.VecVirtual, perLane int) []reg.VecVirtual {
	columns := make([]reg.VecVirtual, len(part))
	for k := range perLane {
		var same []reg.VecVirtual
		for i := k; i < len(part); i += perLane {
			same = append(same, part[i])
		}
		for lane, column := range t.lanes(same) {
			columns[lane*perLane+k] = column
		}
	}
	return columns
}

// lanes returns the columns of a tile of elements of 16 bytes.
func (t tile) lanes(r []reg.VecVirtual) []reg.VecVirtual {
	switch t.width {
	case xmm:
		return r
	case ymm:
		lo, hi := t.YMM(), t.YMM()
		t.VPERM2F128(U8(0x20), r[1], r[0], lo)
		t.VPERM2F128(U8(0x31), r[1], r[0], hi)
		return []reg.VecVirtual{lo, hi}
	}

	shuffle := func(which uint8, a, b reg.VecVirtual) reg.VecVirtual {
		out := t.ZMM()
		t.VSHUFF32X4(U8(which), b, a, out)
		return out
	}

	const even, odd = 0x88, 0xdd
	a, b := shuffle(even, r[0], r[1]), shuffle(odd, r[0], r[1])
	c, d := shuffle(even, r[2], r[3]), shuffle(odd, r[2], r[3])
	return []reg.VecVirtual{shuffle(even, a, c), shuffle(even, b, d), shuffle(odd, a, c), shuffle(odd, b, d)}
}

// columns stores columns as rows of the destination. place, which ascends, says which.
func (t tile) columns(columns []reg.VecVirtual, place func(col int) int) {
	to, at := t.GP64(), 0
	t.MOVQ(t.dst, to)
	for col, r := range columns {
		t.advance(to, place(col)-at)
		at = place(col)
		if t.stream {
			t.VMOVNTPS(r, Mem{Base: to})
		} else {
			t.VMOVUPS(r, Mem{Base: to})
		}
	}
}

// advance moves an address by n strides of the destination.
func (t tile) advance(to reg.GPVirtual, n int) {
	for scale := 8; scale > 0; scale /= 2 {
		for ; n >= scale; n -= scale {
			t.LEAQ(Mem{Base: to, Index: t.dstStride, Scale: uint8(scale)}, to)
		}
	}
}
