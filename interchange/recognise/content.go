package recognise

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// zipFile tells archives apart by the name of their first member.
func zipFile(b []byte) Format {
	const nameAt = 30
	if !has(b, 0, "PK\x03\x04") || len(b) < nameAt {
		return Format{}
	}
	n := int(binary.LittleEndian.Uint16(b[26:]))
	switch name := string(b[nameAt:min(nameAt+n, len(b))]); {
	case strings.HasSuffix(name, ".npy"):
		return npz
	case strings.HasSuffix(name, "data.pkl"):
		return pytorch
	}
	return packed("a zip archive", "unzip FILE")
}

// safetensors begin with the length of a header, which is a JSON object.
func safetensors(b []byte) Format {
	if len(b) < 10 || b[8] != '{' || binary.LittleEndian.Uint64(b) > 100<<20 {
		return Format{}
	}
	if c := bytes.TrimLeft(b[9:], " "); len(c) == 0 || c[0] != '"' && c[0] != '}' {
		return Format{}
	}
	return tensors
}

// text is all that is made of characters. Numbers in lines are split at the separator that the first line has which is
// not empty and no comment.
func text(b []byte) Format {
	b, marked := bytes.CutPrefix(b, []byte("\xef\xbb\xbf"))
	if len(b) == 0 || !isText(b) {
		return Format{}
	}
	first, before := firstLine(b)
	if first != "" && (first[0] == '{' || first[0] == '[') {
		return json
	}
	arguments, fields := "'FILE'", strings.Fields(first)
	for _, sep := range []struct{ in, python string }{{",", `','`}, {";", `';'`}, {"\t", `'\t'`}} {
		if strings.Contains(first, sep.in) {
			arguments += ", delimiter=" + sep.python
			fields = strings.Split(first, sep.in)
			break
		}
	}
	if slices.ContainsFunc(fields, isName) {
		arguments += ", skiprows=" + strconv.Itoa(before+1) // names of columns
	}
	if marked {
		arguments += ", encoding='utf-8-sig'"
	}
	return Format{Name: "text, such as CSV", python: "numpy.loadtxt(" + arguments + ")"}
}

// firstLine is the first line that is not empty and no comment, and how many are before it.
func firstLine(b []byte) (line string, before int) {
	for text := range bytes.Lines(b) {
		line = strings.TrimSpace(string(text))
		if line != "" && line[0] != '#' {
			return line, before
		}
		before++
	}
	return "", 0
}

// isName reports whether a field of a line is a word, as columns have: what begins like a number, or is missing, stands
// in a line of elements, which must not be left out.
func isName(field string) bool {
	field = strings.TrimLeft(field, " \t\"'")
	first, _ := utf8.DecodeRuneInString(field)
	_, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
	return (unicode.IsLetter(first) || first == '_') && err != nil
}

// isText reports whether b is UTF-8 of printable characters, the last of which may be cut.
func isText(b []byte) bool {
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 && !utf8.FullRune(b) {
			return true
		}
		if r == utf8.RuneError || !unicode.IsPrint(r) && !strings.ContainsRune("\t\r\n", r) {
			return false
		}
		b = b[n:]
	}
	return true
}
