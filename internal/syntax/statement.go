package syntax

// program reads statements with semicolons between them.
func (p *parser) program() *Node {
	first := len(p.stack)
	p.scan(0)
	for p.err == nil && p.tok.kind != endToken {
		if p.accept(';') {
			continue
		}
		p.push(p.statement())
		if p.tok.kind != endToken && !p.at(';') {
			p.expect(Error{Want: "an operator or the end", In: Statements})
		}
	}
	return p.node(Statements, 0, "", first)
}

// statement reads an expression, or targets, an operator and an expression.
func (p *parser) statement() *Node {
	start := *p
	n := p.expression(PrecCompare)
	if p.err == nil && (p.tok.kind == endToken || p.at(';')) {
		return n
	}
	tok, before, err := p.tok, p.before, p.err

	// What goes on is a target, or else a mistake in the expression.
	p.tok, p.before, p.err, p.depth, p.stack = start.tok, start.before, nil, start.depth, p.stack[:len(start.stack)]
	if a := p.assignment(); a != nil {
		return a
	}
	p.tok, p.before, p.err, p.depth, p.stack = tok, before, err, start.depth, p.stack[:len(start.stack)]
	return n
}

// assignment reads targets, an operator and an expression. It returns nil if something else comes
// next.
func (p *parser) assignment() *Node {
	first := len(p.stack)
	for comma := true; comma; comma = p.accept(',') {
		name := p.tok
		if name.kind != nameToken && name.kind != quotedToken || p.textOf(name) == "" {
			return nil
		}
		p.advance()
		n := p.leaf(Name, name.pos, p.textOf(name))
		n.Quoted = name.kind == quotedToken && !Plain(n.Text)
		p.push(n)
	}

	// Only a single target may have views.
	if len(p.stack) == first+1 {
		p.selector = true
		p.stack[first] = p.chain(p.stack[first])
		p.selector, p.wide = false, false
	}

	pos := p.tok.pos
	op := p.operator()
	if op == "" || p.err != nil || len(p.stack) > first+1 && op != "=" {
		return nil
	}

	p.push(p.expression(PrecCompare))
	return p.node(Assign, pos, op, first)
}

// operator reads what stands between a target and the expression; it is empty if that is something
// else.
func (p *parser) operator() string {
	op := p.textOf(p.tok)
	switch {
	case p.tok.mark == '=', p.tok.mark == assignMark:
		p.advance()
		return op
	case op != "max" && op != "min":
		return ""
	}
	p.advance()
	if !p.accept('=') {
		return ""
	}
	return op + "="
}
