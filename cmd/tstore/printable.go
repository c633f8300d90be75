package main

import (
	"strconv"
	"strings"
	"unicode"
)

// name is a name as it is printed: as it is, so that a program can use it, but for a person
// printable.
func (a *app) name(name string) string {
	if a.terminalOut {
		return printable(name)
	}
	return name
}

// printable is text as it is when it fits one line, else quoted: what a file says must neither
// break lines nor drive the terminal.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(text)
	}
	return text
}

// quoteAll makes each of the names printable.
func quoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = printable(name)
	}
	return out
}
