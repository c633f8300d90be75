package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// errorLine is the one line that tells an error, or "" when there is nothing
// to tell. Joined errors are separated by semicolons, and control characters
// are spelled out: a name in a hostile file must not drive the terminal.
func errorLine(err error) string {
	if err == nil || errors.Is(err, errFound) {
		return ""
	}
	var b strings.Builder
	b.WriteString("tstore: ")
	for _, r := range strings.ReplaceAll(strings.TrimSpace(err.Error()), "\n", "; ") {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.String()
}
