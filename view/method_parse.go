package view

import "github.com/tstore/tstore/dtype"

// Limits of ParseMethods.
const (
	maxMethodsText = 64 << 10
	maxSteps       = 64
	maxInts        = 1024 // of one argument
)

// ParseMethods reads what may follow the name of a tensor: indexes in brackets,
// as ParseIndex and ParseFancy read them, and attributes and methods with the
// names and arguments that they have in NumPy or PyTorch:
//
//	T mT real imag
//	reshape(4, -1) view(4, -1) view(int16) ravel() flatten(start_dim, end_dim)
//	transpose(2, 0, 1) permute(2, 0, 1) swapaxes(0, 1) swapdims(0, 1) moveaxis(0, -1) movedim((0, 1), (2, 3))
//	squeeze() squeeze(0) unsqueeze(0) expand_dims((0, 2)) broadcast_to(3, 4) expand(3, -1)
//	flip() flip(0, 1) flipud() fliplr() rot90(k, axes)
//	diagonal(offset, axis1, axis2) narrow(axis, start, length) select(axis, index) unfold(axis, size, step)
//	astype(float32) copy() clone() contiguous()
//	take([1, 2], axis) repeat(2, axis) roll(shift, axis) tile(2, 3)
//
// Arguments are integers, tuples or lists of them, and names of element types,
// plain, quoted or with a prefix ("np.int16"); they can be named ("axis=0"), and
// None stands for one that is left out. Space between the parts is ignored.
//
// Names of tensors in brackets are not looked up; Eval does that. Errors are of
// type *SyntaxError, with positions in the whole text.
func ParseMethods(text string) (Chain, error) {
	p := methodParser{indexParser{text: text, what: "methods"}}
	if len(text) > maxMethodsText {
		p.pos = maxMethodsText
		return nil, p.errorf("the text is %d bytes long, more than %d", len(text), maxMethodsText)
	}
	p.skipSpace()
	c := Chain{}
	for !p.atEnd() {
		if len(c) == maxSteps {
			return nil, p.errorf("more than %d steps", maxSteps)
		}
		s, err := p.step()
		if err != nil {
			return nil, err
		}
		c = append(c, s)
	}
	return c, nil
}

// CutMethods cuts text such as "weather/t2m[0].T" where the methods begin: at
// the first bracket, or before if the name of an attribute or of a method with
// its parenthesis follows a dot. It checks neither part. A tensor's name may
// itself end in such a word; who knows the names should look for the whole text
// first.
func CutMethods(text string) (name, methods string) {
	for i := range len(text) {
		if text[i] == '[' || text[i] == '.' && startsMethod(text[i+1:]) {
			return text[:i], text[i:]
		}
	}
	return text, ""
}

// startsMethod reports whether text begins with an attribute or a call.
func startsMethod(text string) bool {
	p := methodParser{indexParser{text: text}}
	m := findMethod(p.word())
	if m == nil {
		return false
	}
	if m.attribute {
		return p.atEnd() || p.peek('.') || p.peek('[')
	}
	return p.peek('(')
}

// methodParser is an indexParser that knows calls of methods.
type methodParser struct{ indexParser }

// step reads one step.
func (p *methodParser) step() (Step, error) {
	if p.peek('[') {
		return p.brackets()
	}
	if !p.accept(".") {
		return Step{}, p.errorf("expected '.' and a method, or '[' and an index, found %s", p.found())
	}
	start := p.pos
	name := p.word()
	if name == "" {
		return Step{}, p.errorf("expected the name of a method, found %s", p.found())
	}
	m := findMethod(name)
	if m == nil {
		p.pos = start
		return Step{}, p.errorf("there is no method %q, but %s", name, methodNames())
	}
	if m.attribute {
		if p.peek('(') {
			return Step{}, p.errorf("%s is an attribute: expected no parentheses", name)
		}
		return Step{method: m}, nil
	}
	if !p.accept("(") {
		return Step{}, p.errorf("%s is a method: expected '(', found %s", name, p.found())
	}
	a, err := p.arguments(m)
	return Step{method: m, args: a}, err
}

// word reads letters, digits and underscores, as many as there are.
func (p *methodParser) word() string {
	start := p.pos
	for p.pos < len(p.text) && isWordByte(p.text[p.pos]) && p.text[p.pos] != '.' {
		p.pos++
	}
	word := p.text[start:p.pos]
	p.skipSpace()
	return word
}

// brackets reads an index; p is at its bracket.
func (p *methodParser) brackets() (Step, error) {
	open := p.pos
	length, closed := closingBracket(p.text[open:])
	if !closed {
		p.pos = len(p.text)
		return Step{}, p.errorf("expected the ']' of the '[' at position %d, found the end", open)
	}
	inner := p.text[open+1 : open+length-1]
	s, err := parseBrackets(inner)
	if err != nil {
		return Step{}, p.shifted(err, open+1)
	}
	p.pos = open + length
	p.skipSpace()
	return s, nil
}

// closingBracket returns the length of the text up to the bracket that closes
// the one it begins with. Brackets in double quotes do not count.
func closingBracket(text string) (length int, ok bool) {
	depth, quoted := 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[':
			depth++
		case c == ']':
			depth--
		}
		if depth == 0 {
			return i + 1, true
		}
	}
	return 0, false
}

// parseBrackets reads the text between brackets, as basic indexing if it is
// that and as advanced indexing otherwise.
func parseBrackets(text string) (Step, error) {
	if ix, err := ParseIndex(text); err == nil {
		return IndexStep(ix), nil
	}
	indexes, err := newTemp(dtype.Int64, []int{0})
	if err != nil {
		return Step{}, err
	}
	defer indexes.Close()
	f, err := ParseFancy(text, func(string) (*Tensor, error) { return indexes, nil })
	if err != nil {
		return Step{}, err
	}
	return Step{fancy: f.String()}, nil
}

// shifted returns an error of the text from position start on as one of the
// whole text.
func (p *methodParser) shifted(err error, start int) error {
	part, ok := err.(*SyntaxError)
	if !ok {
		return err
	}
	p.pos = start + part.Pos
	return p.errorf("%s", part.Msg)
}
