package gemm

import "github.com/tstore/tstore/dtype"

// A Move is numbers that a device copies from one place of its memory to another, and converts.
// Number (i, j, k) of Sizes lies at strides times i, j and k on either side.
type Move struct {
	From, To dtype.Type
	Negate   bool // changes the signs
	Sizes    [3]int

	Source      uint64
	SourceSteps [3]int // bytes
	Target      uint64
	TargetSteps [3]int
}

// MovesA returns what PackA copies, to an address: for A on a device. What is behind the rows may be
// any numbers of A.
func (p *Panels) MovesA(to uint64, at Part, width int) []Move {
	from := p.A.Address + uint64(p.A.offset(p.Batch, at.Batch)+at.Row*p.A.Row+at.From/p.a.twice*p.A.Col)
	return p.moves(&p.a, from, to, at.Rows, at.Long, width)
}

// MovesB is MovesA for columns of B.
func (p *Panels) MovesB(to uint64, at Part, width int) []Move {
	from := p.B.Address + uint64(p.B.offset(p.Batch, at.Batch)+at.Col/p.b.wide*p.B.Col+at.From/p.b.twice*p.B.Row)
	return p.moves(&p.b, from, to, at.Cols, at.Long, width)
}

// moves returns how count numbers of long steps are packed, in rows of width numbers.
func (p *Panels) moves(s *source, from, to uint64, count, long, width int) (all []Move) {
	size, row := p.size, width*p.size
	number := Move{From: p.reg, To: p.reg, Source: from, Target: to}
	switch {
	case s.pairs == nil:
		if s.convert != nil {
			number.From = p.operandType(s)
		}
		all = append(all, number.over([3]int{1, long, count}, [3]int{0, s.along, s.across}, [3]int{0, row, size}))

	// As pairRows does it: a step of real parts, and then one of imaginary ones.
	case s.wide == 1:
		all = append(all, number.over([3]int{long / 2, 2, count}, [3]int{s.along, size, s.across}, [3]int{2 * row, row, size}))

	// As pairColumns does it: (re, im) in one step, and (-im, re) in the next one.
	default:
		steps, elements := [3]int{1, long / 2, count / 2}, [3]int{0, s.along, s.across}
		pairs := number.over([3]int{long / 2, count / 2, 2}, [3]int{s.along, s.across, size}, [3]int{2 * row, 2 * size, size})
		real := number.over(steps, elements, [3]int{0, 2 * row, 2 * size})
		imaginary := real
		imaginary.Negate, imaginary.Source, imaginary.Target = true, from+uint64(size), to+uint64(row)
		real.Target += uint64(row + size)
		all = append(all, pairs, imaginary, real)
	}

	// The numbers behind the last one are read, but count nowhere.
	if width > count {
		rest := number.over([3]int{1, long, width - count}, [3]int{}, [3]int{0, row, size})
		rest.Target += uint64(count * size)
		all = append(all, rest)
	}
	return all
}

// operandType returns the type of the elements of an operand.
func (p *Panels) operandType(s *source) dtype.Type {
	if s == &p.a {
		return p.A.Type
	}
	return p.B.Type
}

// over returns m for numbers of some sizes.
func (m Move) over(sizes, source, target [3]int) Move {
	m.Sizes, m.SourceSteps, m.TargetSteps = sizes, source, target
	return m
}

// MoveStore returns what Store does with the sums of a part at an address, for C or Spec.Also on a
// device.
func (p *Panels) MoveStore(to *Operand, at Part, sums uint64) Move {
	t, size := p.reg, p.size
	if p.final != nil {
		t, size = to.Type, to.Type.Size()
	}
	first := to.Address + uint64(to.offset(p.Batch, at.Batch)+at.Row*to.Row+at.Col/p.parts*to.Type.Size())
	m := Move{From: p.reg, To: t, Source: sums, Target: first}
	return m.over([3]int{1, at.Rows, at.Cols}, [3]int{0, at.Cols * p.size, p.size}, [3]int{0, to.Row, size})
}
