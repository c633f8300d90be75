package ptxvm

import "math/bits"

// A variable is an array in memory.
type variable struct {
	space   string // .global, .const or .shared
	address uint64
}

// A shape is what the declaration of a variable says.
type shape struct {
	align, elems int
	elem         kind
	name         token
}

func (s *shape) bytes() int { return s.elems * s.elem.bytes() }

// shape reads the alignment, type, name and length of an array. open says that the length is left
// out.
func (p *parser) shape(open bool, most uint64) shape {
	s := shape{elems: 1}
	if p.accept(".align") {
		t := p.next()
		if s.align = size(t, 256); bits.OnesCount(uint(s.align)) != 1 {
			refuse(t.line, "%d is no alignment", s.align)
		}
	}
	if s.elem = p.typeName(); s.elem == predicate {
		refuse(p.line(), "a variable can't be a predicate")
	}
	s.align = max(s.align, s.elem.bytes())
	s.name = p.name()
	if open {
		p.want("[")
		p.want("]")
	} else if p.accept("[") {
		s.elems = size(p.next(), most/uint64(s.elem.bytes()))
		p.want("]")
	}
	return s
}

// table reads a variable of the module with its values. Where there are none it is 0.
func (p *parser) table(space string) {
	s := p.shape(false, maxTable)
	if space == ".global" {
		if p.tableBytes += s.bytes(); p.tableBytes > maxTable {
			refuse(s.name.line, "the tables have %d bytes, want %d at most", p.tableBytes, maxTable)
		}
	}
	data := p.values(s)

	if space == ".const" {
		at := roundUp(len(p.consts.data), s.align)
		p.consts.data = append(append(p.consts.data, make([]byte, at-len(p.consts.data))...), data...)
		if len(p.consts.data) > maxConst {
			refuse(s.name.line, "const memory has %d bytes, want %d at most", len(p.consts.data), maxConst)
		}
		p.define(s.name, variable{space, constBase + uint64(at)})
		return
	}

	b, err := p.device.Alloc(len(data))
	if err != nil {
		refuse(s.name.line, "%v", err)
	}
	p.tables = append(p.tables, b)
	copy(b.data, data)
	b.written.setRange(0, len(data))
	p.define(s.name, variable{space, b.Address()})
}

// values reads the values of a variable, up to the semicolon.
func (p *parser) values(s shape) []byte {
	var data []byte
	n := s.elem.bytes()
	if p.accept("=") {
		p.want("{")
		for more := true; more; more = p.accept(",") {
			negative := p.accept("-")
			var word [8]byte
			store(word[:], 0, 8, number(p.next(), negative, s.elem))
			data = append(data, word[:n]...)
		}
		p.want("}")
	}
	p.want(";")
	if len(data) > s.bytes() {
		refuse(s.name.line, "%q has %d values, want %d at most", s.name.text, len(data)/n, s.elems)
	}
	return append(data, make([]byte, s.bytes()-len(data))...)
}

// sharedVariable reads an array in shared memory that lies behind the bytes in use, to which it
// adds its own.
func (p *parser) sharedVariable(used *int) (token, variable) {
	s := p.shape(false, maxShared)
	p.want(";")
	at := roundUp(*used, s.align)
	if *used = at + s.bytes(); *used > maxShared {
		refuse(s.name.line, "shared memory has %d bytes, want %d at most", *used, maxShared)
	}
	return s.name, variable{".shared", sharedBase + uint64(at)}
}

// dynamicVariable reads the array in shared memory whose length a launch gives. It lies apart, so
// that no access reaches from one to the other.
func (p *parser) dynamicVariable() (token, variable) {
	s := p.shape(true, 0)
	p.want(";")
	return s.name, variable{".shared", dynamicBase}
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }
