package store

import (
	"strings"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/view"
)

// eachOutsideQuotes calls fn with the index of each byte outside of quotes, and with the number of
// brackets that are open there. A bracket does not count itself.
func eachOutsideQuotes(text string, fn func(i, depth int)) {
	depth, quote := 0, byte(0)
	for i := range len(text) {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case c == ']' || c == ')':
			depth--
		}
		fn(i, depth)

		// After fn, so that an opening bracket is not yet counted at its own index.
		if c := text[i]; quote == 0 && (c == '[' || c == '(') {
			depth++
		}
	}
}

// quoteItems puts double quotes around the expressions in the index at the end of a text, so that
// ParseFancy takes them for names. What can be read as it stands, such as the name lat/idx, is no
// expression. It returns other texts as they are.
func quoteItems(text string) string {
	// Find the last index and its commas.
	open, commas := -1, []int{}
	eachOutsideQuotes(text, func(i, depth int) {
		switch {
		case depth == 0 && text[i] == '[':
			open, commas = i, commas[:0]
		case depth == 1 && text[i] == ',':
			commas = append(commas, i)
		}
	})

	if open < 0 || !strings.HasSuffix(text, "]") || strings.Contains(text[open:], `"`) {
		return text
	}

	quoted, from := text[:open+1], open+1
	for _, end := range append(commas, len(text)-1) {
		item := strings.TrimSpace(text[from:end])
		if _, err := view.ParseMethods("[" + item + "]"); err != nil {
			if _, err := compute.Parse(item); err != nil {
				return text
			}
			item = `"` + item + `"`
		}
		quoted += item + text[end:end+1]
		from = end + 1
	}
	return quoted
}
