package catalog

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxNameBytes is the length of the longest name.
const MaxNameBytes = 1024

// forbidden are the characters that slices, shells and globs need for themselves.
const forbidden = "[]()@*?\"\\`"

// isForbidden tells the same of a character, as every name that is read is checked.
var isForbidden = func() (is [utf8.RuneSelf]bool) {
	for _, c := range forbidden {
		is[c] = true
	}
	return is
}()

// CheckName returns ErrBadName if name cannot name a value or a group. A name is a path such as
// "weather/t2m" of 1 to 1,024 bytes of valid UTF-8. Its parts are not empty, "." or "..". It has no
// control characters and none of []()@*?"\`. It does not start with "-", and neither starts nor
// ends with a space.
func CheckName(name string) error {
	if what := nameFault(name); what != "" {
		return fmt.Errorf("%w %q: %s", ErrBadName, name, what)
	}
	return nil
}

// nameFault says what is wrong with name. It returns "" for a valid name.
func nameFault(name string) string {
	switch {
	case name == "":
		return "it is empty"
	case len(name) > MaxNameBytes:
		return fmt.Sprintf("it has %d bytes, at most %d are allowed", len(name), MaxNameBytes)
	case !utf8.ValidString(name):
		return "it is not valid UTF-8"
	case name[0] == '-':
		return `it starts with "-", which commands read as an option`
	}

	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	if unicode.IsSpace(first) || unicode.IsSpace(last) {
		return "it starts or ends with a space"
	}

	for _, r := range name {
		switch {
		case r == '@':
			return "it holds '@', which stands before the name of a snapshot, and snapshots never change"
		case r < utf8.RuneSelf && isForbidden[r]:
			return fmt.Sprintf("it holds %q, one of %s", r, forbidden)
		case unicode.IsControl(r):
			return fmt.Sprintf("it holds the control character %q", r)
		}
	}

	// Parts of a name are as parts of a path: none is empty, and none leads elsewhere.
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "":
			return "a part between slashes is empty"
		case ".", "..":
			return fmt.Sprintf("the part %q is reserved", part)
		}
	}
	return ""
}

// checkGroup is CheckName, but allows "", the root group.
func checkGroup(name string) error {
	if name == "" {
		return nil
	}
	return CheckName(name)
}

// ancestors yields the groups that hold name: "a" and "a/b" for "a/b/c".
func ancestors(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(name) {
			if name[i] == '/' && !yield(name[:i]) {
				return
			}
		}
	}
}

// separator stands for "/" in keys. Names hold no control characters, so it sorts before all of
// them: a group's contents follow the group at once, and one seek skips them.
const separator = 0

// nameKey returns the key of a name.
func nameKey(name string) []byte {
	key := []byte(name)
	for i, c := range key {
		if c == '/' {
			key[i] = separator
		}
	}
	return key
}

// keyName is the inverse of nameKey. Keys come from the file, so the name is checked.
func keyName(key []byte) (string, error) {
	if strings.IndexByte(string(key), '/') >= 0 {
		return "", fmt.Errorf("key %q holds a slash", key)
	}
	name := strings.ReplaceAll(string(key), string(rune(separator)), "/")
	return name, CheckName(name)
}

// groupKey returns the prefix of the keys of everything inside group.
func groupKey(group string) []byte {
	if group == "" {
		return nil
	}
	return append(nameKey(group), separator)
}

// pastGroup returns the first key after name and everything inside it.
func pastGroup(name string) []byte { return append(nameKey(name), separator+1) }

// CheckNewName says whether a value, a group or a snapshot can get this name. Beyond CheckName, to
// which the names of older stores hold, it refuses characters that can't be seen: those that turn
// the direction of text, have no width, end lines, choose a variant of a glyph, or are none. With
// them two names look alike, or one looks like another. U+200C and U+200D, which Persian, Indian
// scripts and emoji need, may stand behind a character that is not Latin. Private characters are
// allowed: they are seen.
func CheckNewName(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return checkSeen(name)
}

// CheckNewLabel says whether an axis or an attribute can get this name. It may hold any character
// that is seen.
func CheckNewLabel(name string) error {
	for _, r := range name {
		if unicode.IsControl(r) {
			return fmt.Errorf("%w %+q: it holds the control character %q", ErrBadName, name, r)
		}
	}
	return checkSeen(name)
}

// checkSeen refuses what CheckNewName does beyond CheckName.
func checkSeen(name string) error {
	before := rune(0)
	for _, r := range name {
		if isJoiner := r == 0x200C || r == 0x200D; isJoiner && before > lastLatin || !isJoiner && !isInvisible(r) {
			before = r
			continue
		}
		return fmt.Errorf("%w %+q: it holds U+%04X, which can't be seen: leave it out", ErrBadName, name, r)
	}
	return nil
}

// lastLatin is the last character of the blocks of Latin letters that need no joiners.
const lastLatin = 0x02FF

// isInvisible reports whether a character shows nothing of its own. Marks that stand before Arabic
// numbers are formats, but are seen.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}
