package syntax

import (
	"iter"
	"strings"
)

// Cuts yields the ways to cut a selector into a name, as it stands, and the steps behind it, the
// longest name first. A name ends before the first bracket, or at a dot before that bracket which
// only words follow, with dots between them. Whether such a word is part of the name or a step is
// for those to tell who know the names and the steps.
func Cuts(text string) iter.Seq2[string, string] {
	return func(yield func(name, steps string) bool) {
		end := strings.IndexAny(text, "[(")
		if end < 0 {
			end = len(text)
		}

		// A call is a step together with the word before it.
		if isCall := end < len(text) && text[end] == '('; !isCall && !yield(text[:end], text[end:]) {
			return
		}

		for {
			dot := strings.LastIndexByte(text[:end], '.')
			if dot < 0 || !isWord(strings.TrimRight(text[dot+1:end], spaces)) || !yield(text[:dot], text[dot:]) {
				return
			}
			end = dot
		}
	}
}
