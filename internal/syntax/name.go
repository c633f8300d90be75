package syntax

import "strings"

// reserved are the words that have a meaning which a plain name has not.
var reserved = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq("True False nan NaN inf Inf infj nanj pi e None newaxis Ellipsis np numpy not and or if else in is lambda for") {
		words[word] = true
	}
	return words
}()

// Plain reports whether a name is written without quotes: it is an identifier, and no word with a
// meaning.
func Plain(name string) bool { return !reserved[name] && isWord(name) }

// isWord reports whether a text is an identifier.
func isWord(text string) bool { return text != "" && word(text) == text }

// Quote writes the name of a tensor as it is read in expressions and between the brackets of
// selectors: in back quotes, if it is not Plain. A name that holds a back quote is read in double
// quotes, between brackets only.
func Quote(name string) string {
	switch {
	case Plain(name):
		return name
	case strings.Contains(name, "`"):
		return `"` + name + `"`
	}
	return "`" + name + "`"
}

// QuoteText writes a text in quotes of either kind.
func QuoteText(text string) string {
	if strings.Contains(text, `"`) {
		return "'" + text + "'"
	}
	return `"` + text + `"`
}
