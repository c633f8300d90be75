package ptxvm

import "strings"

// A token is a word or one other character. A word is a name, a number, a directive or an
// instruction with its modifiers.
type token struct {
	text string
	line int
}

// scan splits a text into tokens. The last one is empty and stands at the end of the text.
func scan(text string) []token {
	tokens := make([]token, 0, len(text)/3)
	line := 1
	for len(text) > 0 {
		c := text[0]
		n := 1
		switch {
		case c == '\n':
			line++
		case c == ' ' || c == '\t' || c == '\r':
		case strings.HasPrefix(text, "//"):
			if n = strings.IndexByte(text, '\n'); n < 0 {
				n = len(text)
			}
		case strings.HasPrefix(text, "/*"):
			end := strings.Index(text[2:], "*/")
			if end < 0 {
				refuse(line, "a comment has no end")
			}
			n = end + len("/**/")
			line += strings.Count(text[:n], "\n")
		case isWord(c):
			for n < len(text) && isWord(text[n]) {
				n++
			}
			tokens = append(tokens, token{text[:n], line})
		case strings.IndexByte("{}[]()<>,;:@!=+-", c) >= 0:
			tokens = append(tokens, token{text[:1], line})
		default:
			refuse(line, "the character %q has no meaning", c)
		}
		text = text[n:]
	}
	return append(tokens, token{"", line})
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.'
}
