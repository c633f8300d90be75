package view

import (
	"slices"
	"strings"

	"github.com/tstore/tstore/dtype"
)

// Limits of ParseMethods.
const (
	maxMethodsText = 64 << 10
	maxSteps       = 64
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

// arguments reads the arguments of a call up to the closing parenthesis.
func (p *methodParser) arguments(m *method) (args, error) {
	a := make(args, len(m.params))
	named := false
	for next := 0; !p.accept(")"); {
		start := p.pos
		i, byName, err := p.parameter(m, next)
		if err != nil {
			return nil, err
		}
		if named && !byName {
			p.pos = start
			return nil, p.errorf("an argument by position after one by name")
		}
		if named = byName; !byName {
			next++
		}
		if a[i].given {
			p.pos = start
			return nil, p.errorf("%s has argument %s twice", m.name, m.params[i].names[0])
		}
		if a[i], err = p.argument(m.params[i].kind, byName); err != nil {
			return nil, err
		}
		if p.peek(')') {
			continue
		}
		if !p.accept(",") {
			return nil, p.errorf("expected ',' or ')', found %s", p.found())
		}
	}
	for i, param := range m.params {
		if !a[i].given && !param.optional {
			return nil, p.errorf("%s lacks its argument %s", m.name, param.names[0])
		}
	}
	return a, nil
}

// parameter returns the parameter that the argument at p is for: the one it
// names, or otherwise number next.
func (p *methodParser) parameter(m *method, next int) (i int, byName bool, err error) {
	start := p.pos
	if name := p.word(); name != "" && p.accept("=") {
		i := slices.IndexFunc(m.params, func(param param) bool { return slices.Contains(param.names, name) })
		if i < 0 {
			p.pos = start
			return 0, true, p.errorf("%s has no argument %q", m.name, name)
		}
		return i, true, nil
	}
	p.pos = start
	if next >= len(m.params) {
		return 0, false, p.errorf("%s takes no more than %d arguments", m.name, len(m.params))
	}
	return next, false, nil
}

// argument reads one argument, which for some kinds goes over several commas.
func (p *methodParser) argument(kind paramKind, byName bool) (argument, error) {
	if p.acceptWord("None") {
		return argument{}, nil
	}
	if kind == elementType || kind == typeOrShape && p.startsType() {
		return p.elementType()
	}
	if kind != oneInt && (p.peek('(') || p.peek('[')) {
		return p.tuple()
	}
	arg := argument{given: true}
	for {
		v, err := p.integer()
		if err != nil {
			return argument{}, err
		}
		if arg.ints = append(arg.ints, v); len(arg.ints) > MaxRank {
			return argument{}, p.errorf("more than %d integers", MaxRank)
		}
		if byName || kind == oneInt || kind == intOrTuple || !p.moreInts() {
			return arg, nil
		}
	}
}

// moreInts reads a comma and reports whether an integer follows it.
func (p *methodParser) moreInts() bool {
	before := p.pos
	if !p.accept(",") {
		return false
	}
	if p.peek('-') || p.peek('+') || !p.atEnd() && isDigit(p.text[p.pos]) {
		return true
	}
	p.pos = before
	return false
}

// tuple reads integers in parentheses or brackets; p is at the opening one.
func (p *methodParser) tuple() (argument, error) {
	end := ")"
	if !p.accept("(") {
		p.accept("[")
		end = "]"
	}
	arg := argument{given: true, tuple: true, ints: []int{}}
	for !p.accept(end) {
		v, err := p.integer()
		if err != nil {
			return argument{}, err
		}
		if arg.ints = append(arg.ints, v); len(arg.ints) > MaxRank {
			return argument{}, p.errorf("more than %d integers", MaxRank)
		}
		if !p.peek(end[0]) && !p.accept(",") {
			return argument{}, p.errorf("expected ',' or %q, found %s", end, p.found())
		}
	}
	return arg, nil
}

// integer reads an integer that fits in an int.
func (p *methodParser) integer() (int, error) {
	if c := p.pos; c == len(p.text) || strings.IndexByte("+-", p.text[c]) < 0 && !isDigit(p.text[c]) {
		return 0, p.errorf("expected an integer, found %s", p.found())
	}
	b, err := p.number()
	if err != nil {
		return 0, err
	}
	if b.clamped {
		p.pos = b.pos
		return 0, p.errorf("an integer must fit in 64 bits")
	}
	return b.v, nil
}

// startsType reports whether the name of an element type is next, and not a number.
func (p *methodParser) startsType() bool {
	return !p.atEnd() && strings.IndexByte("+-()[]0123456789", p.text[p.pos]) < 0
}

// elementType reads the name of an element type.
func (p *methodParser) elementType() (argument, error) {
	start := p.pos
	name, err := p.typeName()
	if err != nil {
		return argument{}, err
	}
	t, err := dtype.Parse(name)
	if err != nil {
		p.pos = start
		return argument{}, p.errorf("%s", err)
	}
	return argument{given: true, dt: t}, nil
}

// typeName reads a plain name, with or without the prefix of a library, or
// what is in quotes.
func (p *methodParser) typeName() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if !strings.HasPrefix(p.text[p.pos:], quote) {
			continue
		}
		name, _, closed := strings.Cut(p.text[p.pos+1:], quote)
		if !closed {
			return "", p.errorf("expected a closing quote")
		}
		p.pos += len(name) + 2
		p.skipSpace()
		return name, nil
	}
	for _, prefix := range []string{"np.", "numpy.", "torch.", "ml_dtypes."} {
		if p.accept(prefix) {
			break
		}
	}
	name := p.word()
	if name == "" {
		return "", p.errorf("expected an element type, found %s", p.found())
	}
	return name, nil
}
