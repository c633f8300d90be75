package syntax

// chain reads the indexes, attributes and methods after an operand. A nil operand reads a chain
// that stands alone.
func (p *parser) chain(operand *Node) *Node {
	if operand != nil && !p.at('[') && !p.at('.') {
		return operand
	}

	pos, first := p.tok.pos, len(p.stack)
	if operand != nil && operand.Kind == Chain {
		p.stack = append(p.stack, operand.Args...) // a chain in parentheses goes on
	} else {
		p.push(operand)
	}

	if operand != nil {
		pos = operand.Pos
	}

	for p.err == nil {
		switch {
		case p.at('['):
			p.push(p.index())
		case p.at('.'):
			p.push(p.attribute())
		default:
			return p.node(Chain, pos, "", first)
		}
	}
	return p.node(Chain, pos, "", first)
}

// attribute reads a dot, a name, and arguments if there are any.
func (p *parser) attribute() *Node {
	p.advance()
	name := p.tok
	if name.kind != nameToken {
		p.expect(Error{Want: "the name of a method", In: Attribute})
		return p.leaf(Missing, name.pos, "")
	}
	p.advance()
	if p.at('(') {
		return p.call(name)
	}
	return p.leaf(Attribute, name.pos, p.textOf(name))
}

// index reads an index in brackets.
func (p *parser) index() *Node {
	open := p.tok.pos
	p.wide = p.selector
	p.advance()
	n := p.items(open, ']')
	p.wide = false
	if !p.accept(']') {
		p.expect(Error{Want: "',' or the end", In: Index, Open: int(open)})
	}
	n.End = p.before
	return n
}

// items reads the items of an index up to a symbol, or to the end of the text if that is 0.
func (p *parser) items(pos int32, end byte) *Node {
	first := len(p.stack)
	for p.err == nil && !p.atEnd(end) {
		p.push(p.item(end))
		if !p.accept(',') {
			break
		}
	}
	return p.node(Index, pos, "", first)
}

// atEnd reports whether a symbol is next, or the end of the text if that is 0.
func (p *parser) atEnd(end byte) bool { return p.at(end) && (end != 0 || p.tok.kind == endToken) }

// item reads one item of an index.
func (p *parser) item(end byte) *Node {
	start := p.tok
	if p.accept(dotsMark) {
		return p.leaf(Ellipsis, start.pos, "")
	}

	var bounds [3]*Node
	colons := 0
	for p.err == nil && !p.at(',') && !p.atEnd(end) {
		switch {
		case p.at(':') && colons < 2:
			p.advance()
			colons++
			continue
		case p.at(':') || bounds[colons] != nil:
			// A third colon or a second operand: stop, and leave the error to the caller.
		default:
			bounds[colons] = p.expression(PrecCompare)
			continue
		}
		break
	}

	if colons == 0 && bounds[0] == nil {
		return p.missing()
	}
	if colons == 0 && bounds[0].IsWord("Ellipsis") {
		return p.leaf(Ellipsis, start.pos, "")
	}
	if colons == 0 {
		return bounds[0]
	}

	// A slice has three bounds, nil for those left out.
	first := len(p.stack)
	p.stack = append(p.stack, bounds[:]...)
	return p.node(Slice, start.pos, "", first)
}
