package recognise

import (
	"bytes"
	"encoding/binary"
	"regexp"
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

// text is all that is made of characters. Numbers in lines are split at the separator that the
// first line has which is not empty and no comment.
func text(b []byte) Format {
	b, marked := bytes.CutPrefix(b, []byte("\xef\xbb\xbf"))
	if len(b) == 0 || !isText(b) {
		return Format{}
	}
	first, before := firstLine(b)
	if first != "" && (first[0] == '{' || first[0] == '[') {
		return json
	}
	sep, fields := separator(first)

	// What has decimal commas is read through a generator of lines with points.
	file, encoding := "'FILE'", ""
	if marked {
		encoding = ", encoding='utf-8-sig'"
	}
	if sep != "," && decimalComma.Match(b) {
		file, encoding = "(line.replace(',', '.') for line in open('FILE'"+encoding+"))", ""
	}
	call, skip := "loadtxt", "skiprows"
	if sep != "" && emptyField(b, sep) {
		call, skip = "genfromtxt", "skip_header" // a field that is missing is nan
	}

	arguments := file
	if sep != "" {
		arguments += ", delimiter=" + strings.ReplaceAll("'"+sep+"'", "\t", `\t`)
	}
	if slices.ContainsFunc(fields, isName) {
		arguments += ", " + skip + "=" + strconv.Itoa(before+1) // names of columns
	}
	return Format{Name: "text, such as CSV", python: "numpy." + call + "(" + arguments + encoding + ")", isText: true}
}

var (
	// decimalComma is a number with one, as most of Europe writes it.
	decimalComma = regexp.MustCompile(`[0-9],[0-9]`)
	// spacedCommas is a line of such numbers with nothing but space between them.
	spacedCommas = regexp.MustCompile(`^[-+]?[0-9]+,[0-9]+([ ]+[-+]?[0-9]+,[0-9]+)+$`)
)

// separator is what stands between the fields of a line, "" for space, and the fields. A comma
// separates only where nothing else does: it may be that of a decimal fraction.
func separator(line string) (sep string, fields []string) {
	for _, sep := range []string{"\t", ";", ","} {
		if strings.Contains(line, sep) && !spacedCommas.MatchString(line) {
			return sep, strings.Split(line, sep)
		}
	}
	return "", strings.Fields(line)
}

// emptyField reports whether a line has a field with nothing in it.
func emptyField(b []byte, sep string) bool {
	for text := range strings.Lines(string(b)) {
		line := strings.Trim(text, " \r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		for _, field := range strings.Split(line, sep) {
			if strings.TrimSpace(field) == "" && strings.HasSuffix(text, "\n") {
				return true // the last line may be cut
			}
		}
	}
	return false
}

// firstLine returns the first line that is not empty and no comment, and how many are before it.
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

// isName reports whether a field of a line is a word, as columns have: what begins like a number,
// or is missing, stands in a line of elements, which must not be left out.
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
