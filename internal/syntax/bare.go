package syntax

import (
	"iter"
	"strings"
)

// Bare yields the parts of a text that may be names without the quotes that they need: tokens side
// by side, none of which is in quotes, stands between others, or holds one of operators.
func Bare(text, operators string) iter.Seq[string] {
	between := operators + "()[],:`\"'"
	return func(yield func(name string) bool) {
		p := &parser{text: text}
		start, end := 0, 0
		for p.scan(0); ; p.next() {
			t := p.tok
			inName := t.kind != endToken && t.kind != quotedToken && t.kind != textToken && !strings.ContainsAny(p.textOf(t), between)
			if inName && int(t.pos) == end {
				end = int(t.end)
				continue
			}

			if start < end && !yield(text[start:end]) || t.kind == endToken {
				return
			}
			start, end = int(t.pos), int(t.end)
			if !inName {
				start = end
			}
		}
	}
}
