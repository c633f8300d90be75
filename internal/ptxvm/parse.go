package ptxvm

import (
	"slices"
	"strings"
)

// A parser reads a text into a Module.
type parser struct {
	*Module
	tokens    []token
	variables map[string]variable // of the module

	shared     int // bytes of its shared variables
	tableBytes int // of its global ones
}

// Load reads the text of a module and keeps its tables in the memory of d. It returns an Error for
// what an assembler would refuse, and for what is not in the tables of this package.
func (d *Device) Load(text string) (*Module, error) {
	m := &Module{device: d, lines: strings.Split(text, "\n"), entries: map[string]*entry{}}
	p := &parser{Module: m, variables: map[string]variable{}}
	err := refusal(func() {
		p.tokens = scan(text)
		p.head()
		for p.peek() != "" {
			p.directive()
		}
	})
	if err != nil {
		p.Unload()
		return nil, err
	}
	return p.Module, nil
}

// peek returns the text of the next token.
func (p *parser) peek() string { return p.tokens[0].text }

func (p *parser) line() int { return p.tokens[0].line }

// next takes a token, but never the last one.
func (p *parser) next() token {
	t := p.tokens[0]
	if t.text == "" {
		refuse(t.line, "the text ends in the middle")
	}
	p.tokens = p.tokens[1:]
	return t
}

// want takes a token that has to be there.
func (p *parser) want(text string) token {
	if got := p.peek(); got != text {
		refuse(p.line(), "want %q, found %q", text, got)
	}
	return p.next()
}

// accept takes a token if it is there.
func (p *parser) accept(text string) bool {
	if p.peek() != text {
		return false
	}
	p.next()
	return true
}

// name takes a name.
func (p *parser) name() token {
	t := p.next()
	c := t.text[0]
	if !(isWord(c) && c != '.' && (c < '0' || c > '9')) || strings.Contains(t.text, ".") {
		refuse(t.line, "want a name, found %q", t.text)
	}
	return t
}

// typeName takes a type, as .f32 is.
func (p *parser) typeName() kind {
	t := p.next()
	k, ok := kinds[strings.TrimPrefix(t.text, ".")]
	if !ok || t.text[0] != '.' {
		refuse(t.line, "want a type, found %q", t.text)
	}
	return k
}

// head reads what a text begins with: the version of PTX and the least capability of the device.
func (p *parser) head() {
	p.want(".version")
	t := p.next()
	major, minor, ok := strings.Cut(t.text, ".")
	if !ok {
		refuse(t.line, "want a version, found %q", t.text)
	}
	p.version = [2]int{size(token{major, t.line}, 99)}
	if minor != "0" {
		p.version[1] = size(token{minor, t.line}, 99)
	}

	p.want(".target")
	t = p.next()
	number, ok := strings.CutPrefix(t.text, "sm_")
	if !ok {
		refuse(t.line, "want a target as sm_70, found %q", t.text)
	}
	p.target = size(token{number, t.line}, 999)

	p.want(".address_size")
	p.want("64")
}

// directive reads a variable or an entry.
func (p *parser) directive() {
	switch t := p.peek(); t {
	case ".visible":
		p.next()
		p.want(".entry")
		p.entry()
	case ".const", ".global":
		p.next()
		p.table(t)
	case ".shared":
		p.next()
		p.define(p.sharedVariable(&p.shared))
	case ".extern":
		p.next()
		p.want(".shared")
		p.define(p.dynamicVariable())
	default:
		refuse(p.line(), "%q is no directive of a module", t)
	}
}

// define names a variable of the module.
func (p *parser) define(name token, v variable) {
	if _, ok := p.variables[name.text]; ok {
		refuse(name.line, "%q is declared twice", name.text)
	}
	p.variables[name.text] = v
}

// entry reads a kernel.
func (p *parser) entry() {
	name := p.name()
	if p.entries[name.text] != nil {
		refuse(name.line, "the entry %q is declared twice", name.text)
	}
	b := &body{parser: p, entry: &entry{maxThreads: maxThreads}, known: map[constantKey]int{}}
	b.push()

	p.want("(")
	for !p.accept(")") {
		if len(b.params) > 0 {
			p.want(",")
		}
		b.param()
	}
	if p.accept(".maxntid") {
		b.maxThreads = p.extent()
	}

	p.want("{")
	b.entry.shared = p.shared
	b.scope()
	b.finish(name)
	p.entries[name.text] = b.entry
}

// extent reads the product of up to three numbers.
func (p *parser) extent() int {
	n := size(p.next(), maxThreads)
	for p.accept(",") {
		n *= size(p.next(), maxThreads)
	}
	if n > maxThreads {
		refuse(p.line(), "%d threads of a block: want %d at most", n, maxThreads)
	}
	return n
}

// maxParamBytes is what the parameters of an entry may take. Each counts as 8 bytes.
const maxParamBytes = 4096

// param reads a parameter of an entry.
func (b *body) param() {
	b.want(".param")
	k := b.typeName()
	name := b.name()
	if k == predicate {
		refuse(name.line, "the parameter %q is a predicate", name.text)
	}
	if slices.ContainsFunc(b.params, func(p param) bool { return p.name == name.text }) {
		refuse(name.line, "the parameter %q is declared twice", name.text)
	}
	b.params = append(b.params, param{name.text, k, b.register(name, k)})
	if n := len(b.params) * 8; n > maxParamBytes {
		refuse(name.line, "%d bytes of parameters: want %d at most", n, maxParamBytes)
	}
}
