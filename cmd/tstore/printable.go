package main

import (
	"strconv"
	"strings"
	"unicode"
)

// printable is text as it is when it fits one line, else quoted: what a file
// says must neither break lines nor drive the terminal.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(text)
	}
	return text
}
