package main

// tanh is a polynomial of six coefficients around the middle of an interval, which the exponent and
// the first bits of |x| choose.
func (s single) tanh() func(value) value {
	s.use("tanhMax32", "tanhShift32", "tanhLow32")
	s.useBits(s.signBits())

	if s.wide() {
		for _, table := range []struct {
			name string
			rows int
		}{{"tanhMiddle32", 1}, {"tanhHead32", 1}, {"tanhPolySingle", 6}} {
			for row := range table.rows {
				s.loaded[key(table.name, row*16)] = s.row(table.name, row, 0)
			}
		}
	}

	return func(x value) value {
		t := s.less(s.get("tanhMax32"), s.abs(x))
		shifted := s.add(t, s.get("tanhShift32"))
		low := s.cmp(lessThan, shifted, s.get("tanhLow32"))
		pick := s.pickBy(s.shiftRight(shifted, 21))

		d := s.sub(t, pick("tanhMiddle32", 0))
		p := pick("tanhPolySingle", 5)

		for row := 4; row >= 0; row-- {
			s.timesPlus(p, d, pick("tanhPolySingle", row))
		}

		head := s.choose(low, t, pick("tanhHead32", 0))
		return s.copySign(s.timesPlus(p, d, head), x)
	}
}

// pickBy returns what makes a vector of the elements of a row of 16 that the low four bits of i
// tell.
func (s single) pickBy(i value) func(table string, row int) value {
	if s.wide() {
		return func(table string, row int) value {
			return s.op(s.VPERMPS, s.loaded[key(table, row*16)], i)
		}
	}
	upper := s.shiftLeft(i, 28) // bit 3 is where VBLENDVPS looks
	return func(table string, row int) value {
		lo, hi := s.row(table, row, 0), s.row(table, row, 8)
		return s.choose(upper, s.op(s.VPERMPS, hi, i), s.op(s.VPERMPS, lo, i))
	}
}

// row is a register, or for AVX2 the address, of what a row of 16 elements has from the first on.
func (s single) row(table string, row, first int) value {
	m := s.global(table, row*16+first)
	if s.wide() {
		r := s.vec()
		s.VMOVUPS(m, r)
		return r
	}
	return m
}
