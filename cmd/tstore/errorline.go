package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

// errorLine is the one line that tells an error, or "" when there is nothing to tell. Joined errors
// are separated by semicolons, and control characters are spelled out: a name in a hostile file
// must not drive the terminal. A word that is too long for a name loses its middle.
func errorLine(err error) string {
	if err == nil || errors.Is(err, errFound) || errors.Is(err, errNoReader) {
		return ""
	}
	var b strings.Builder
	b.WriteString("tstore: ")
	for _, r := range strings.ReplaceAll(strings.TrimSpace(err.Error())+memoryAdvice(err), "\n", "; ") {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return shorten(b.String())
}

// memoryAdvice names the flag that says how much memory may be taken, if that of a device, or for one,
// was not enough.
func memoryAdvice(err error) string {
	full, ok := errors.AsType[*device.MemoryError](err)
	switch {
	case !ok || full.Limit == 0:
		return ""
	case full.Place == mmapstore.CPU:
		return "; --memory-limit says how much may be taken"
	}
	return "; --device-memory says how much may be taken"
}

// No name is longer than longestWord. Of what is longer, keptOfWord characters at either end say
// enough.
const (
	longestWord = catalog.MaxNameBytes + 100
	keptOfWord  = 40
)

// shorten takes the middle out of what is quoted, and of words, when they are too long for names.
func shorten(line string) string {
	if len(line) <= longestWord {
		return line
	}
	line = regexp.MustCompile(`"([^"\\]|\\.)*"`).ReplaceAllStringFunc(line, shortenWord)
	words := strings.Split(line, " ")
	for i, word := range words {
		words[i] = shortenWord(word)
	}
	return strings.Join(words, " ")
}

func shortenWord(word string) string {
	runes := []rune(word)
	if len(runes) <= longestWord {
		return word
	}
	return string(runes[:keptOfWord]) + "…" + string(runes[len(runes)-keptOfWord:])
}
