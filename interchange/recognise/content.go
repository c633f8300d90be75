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

// text is all that is made of characters. Numbers in lines are split at the separator that the first line has.
func text(b []byte) Format {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	if len(b) == 0 || !isText(b) {
		return Format{}
	}
	first, _, _ := bytes.Cut(b, []byte("\n"))
	if first := bytes.TrimSpace(first); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		return json
	}
	arguments, fields := "'FILE'", strings.Fields(string(first))
	for _, sep := range []struct{ in, python string }{{",", `','`}, {";", `';'`}, {"\t", `'\t'`}} {
		if bytes.Contains(first, []byte(sep.in)) {
			arguments += ", delimiter=" + sep.python
			fields = strings.Split(string(first), sep.in)
			break
		}
	}
	if slices.ContainsFunc(fields, isName) {
		arguments += ", skiprows=1" // names of columns
	}
	return Format{Name: "text, such as CSV", python: "numpy.loadtxt(" + arguments + ")"}
}

// isName reports whether a field of a line is no number.
func isName(field string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
	return err != nil
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
