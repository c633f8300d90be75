package syntax

// expression reads operands joined by operators that bind at least as tightly as least: precedence
// climbing.
func (p *parser) expression(least Precedence) *Node {
	if !p.enter() {
		return p.missing()
	}

	left := p.unary()
	for compared := false; p.tok.prec >= least && p.tok.prec > PrecNone && !p.wide; {
		op := p.tok
		if op.prec == PrecCompare && compared {
			p.failf(int(op.pos), "comparisons in a row: write (a < b) & (b < c)")
			break
		}

		compared = op.prec == PrecCompare
		p.advance()
		// The operand on the right binds tighter, so operators of one precedence group to the left.
		left = p.binary(left, op, p.expression(op.prec+1))
	}

	p.depth--
	return left
}

func (p *parser) binary(left *Node, op token, right *Node) *Node {
	first := len(p.stack)
	p.push(left)
	p.push(right)
	return p.node(Binary, op.pos, p.textOf(op), first)
}

// enter counts a level; false is a mistake.
func (p *parser) enter() bool {
	if p.depth++; p.depth > maxDepth {
		p.failf(int(p.tok.pos), "an expression nested deeper than %d", maxDepth)
	}
	return p.depth <= maxDepth
}

// unary reads an operand with the operators before it. They bind less tightly than ** behind it.
func (p *parser) unary() *Node {
	op := p.tok
	if !p.at('-') && !p.at('+') && !p.at('~') {
		return p.power()
	}
	if !p.enter() {
		return p.missing()
	}
	p.advance()
	first := len(p.stack)
	p.push(p.unary())
	p.depth--
	return p.node(Unary, op.pos, p.textOf(op), first)
}

// power reads an operand and its exponent.
func (p *parser) power() *Node {
	base := p.primary()
	if p.wide {
		return base
	}

	base = p.chain(base)
	op := p.tok
	if !p.at(powerMark) {
		return base
	}

	// The exponent may have a sign and a power of its own, so ** groups to the right.
	p.advance()
	if !p.enter() {
		return p.missing()
	}

	exponent := p.unary()
	p.depth--
	return p.binary(base, op, exponent)
}

// primary reads an operand without the chain after it.
func (p *parser) primary() *Node {
	tok := p.tok

	switch tok.kind {
	case numberToken:
		p.advance()
		return p.leaf(Number, tok.pos, p.textOf(tok))
	case textToken:
		p.advance()
		return p.leaf(Text, tok.pos, p.textOf(tok))
	case nameToken:
		p.advance()
		return p.named(tok)
	case quotedToken:
		if p.textOf(tok) == "" {
			p.failf(int(tok.pos), "an empty name")
			return p.missing()
		}
		p.advance()
		return p.tensor(tok)
	case symbolToken:
		if tok.mark == '(' {
			return p.parentheses()
		}
		if tok.mark == '[' {
			first := len(p.stack)
			p.elements(']', "',' or ']'", List)
			return p.node(List, tok.pos, "", first)
		}
	}

	return p.missing()
}

// named returns what begins with a word, which has been read.
func (p *parser) named(tok token) *Node {
	if !p.wide && p.at('(') {
		return p.call(tok)
	}
	switch text := p.textOf(tok); text {
	case "None", "newaxis", "np.newaxis":
		return p.leaf(None, tok.pos, "")
	case "True", "False", "Ellipsis":
		return p.leaf(Name, tok.pos, text)
	}
	if p.wide {
		return p.tensor(tok)
	}
	return p.leaf(Name, tok.pos, p.textOf(tok))
}

// tensor returns the name of a tensor, which has been read.
func (p *parser) tensor(tok token) *Node {
	n := p.leaf(Name, tok.pos, p.textOf(tok))
	n.Quoted = !Plain(n.Text)
	return n
}

// parentheses reads an expression in parentheses, or a tuple.
func (p *parser) parentheses() *Node {
	pos, first := p.tok.pos, len(p.stack)
	comma := p.elements(')', `',' or ")"`, Tuple)
	if len(p.stack) == first+1 && !comma {
		n := p.stack[first]
		p.stack = p.stack[:first]
		return n
	}
	return p.node(Tuple, pos, "", first)
}

// elements reads expressions from a bracket to the one that closes it, and reports whether there
// was a comma.
func (p *parser) elements(end byte, want string, in Kind) (comma bool) {
	p.advance()
	for p.err == nil && !p.at(end) {
		p.push(p.expression(PrecCompare))
		if !p.accept(',') {
			break
		}
		comma = true
	}
	if !p.accept(end) {
		p.expect(Error{Want: want, In: in})
	}
	return comma
}

// call reads the arguments of a function or a method, whose name has been read.
func (p *parser) call(name token) *Node {
	first := len(p.stack)
	p.advance()
	for p.err == nil && !p.at(')') {
		p.push(p.argument())
		if !p.accept(',') {
			break
		}
	}
	if !p.accept(')') {
		p.expect(Error{Want: "',' or ')'", In: Call})
	}
	return p.node(Call, name.pos, p.textOf(name), first)
}

// argument reads one argument, with the name of its parameter if there is one.
func (p *parser) argument() *Node {
	name := p.tok
	if name.kind != nameToken {
		return p.expression(PrecCompare)
	}
	p.next()
	if !p.at('=') {
		p.tok = name
		return p.expression(PrecCompare)
	}
	p.advance()
	first := len(p.stack)
	p.push(p.expression(PrecCompare))
	return p.node(Keyword, name.pos, p.textOf(name), first)
}
