package dtype

import (
	"fmt"
	"strings"
)

// Parse reads a type as a person writes it: a name ("float32"), one of NumPy's other names for it
// ("single", "double", "int"), or a code with or without its byte order ("f4", "<f4", "=f8", "|u1",
// "f"; "?" is bool). Names whose size depends on the platform, such as "long", are errors, and so
// are big-endian codes and the void codes of bfloat16 and float8; [ParseDescr] reads those codes.
// An unknown name is answered with the nearest one.
func Parse(s string) (Type, error) {
	t, swapped, err := ParseDescr(s)
	if err != nil {
		return Invalid, err
	}
	if swapped {
		return Invalid, fmt.Errorf("dtype %q is big-endian: elements are little-endian here, write %q (import swaps the bytes)", s, t.Code())
	}
	return t, nil
}

// byName finds the type called name.
func byName(name string) (Type, bool) {
	if t, ok := aliases[name]; ok {
		return t, true
	}
	for t := Invalid + 1; t < numTypes; t++ {
		if types[t].name == name {
			return t, true
		}
	}
	return Invalid, false
}

// unknown returns the error for text that names no type.
func unknown(text string) error {
	const longest = 40 // what a message quotes
	if len(text) > longest {
		return fmt.Errorf("unknown dtype %q…: expected one of %s", text[:longest], names())
	}
	if near, ok := nearest(strings.ToLower(text)); ok {
		return fmt.Errorf("unknown dtype %q: did you mean %q?", text, near)
	}
	return fmt.Errorf("unknown dtype %q: expected one of %s", text, names())
}

func names() string {
	all := make([]string, 0, numTypes)
	for _, t := range All() {
		all = append(all, t.String())
	}
	return strings.Join(all, ", ")
}

// nearest returns the type whose name is fewest edits away from text, if that is near enough to be
// a slip.
func nearest(text string) (Type, bool) {
	best, bestEdits := Invalid, 2+len(text)/4
	for _, t := range All() {
		if n := edits(text, t.String()); n < bestEdits {
			best, bestEdits = t, n
		}
	}
	return best, best != Invalid
}

// edits returns the Levenshtein distance of a and b in bytes.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}

	// Row i of the table overwrites row i-1. diagonal keeps the entry up and to the left, which the
	// row has already lost.
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}

	return row[len(b)]
}
