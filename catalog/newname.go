package catalog

import (
	"fmt"
	"unicode"
)

// CheckNewName says whether a value, a group or a snapshot can get this name. Beyond CheckName, to which the names of older
// stores hold, it refuses characters that can't be seen: those that turn the direction of text, have no width, end lines,
// choose a variant of a glyph, or are none. With them two names look alike, or one looks like another. U+200C and U+200D, which Persian, Indian
// scripts and emoji need, may stand behind a character that is not Latin. Private characters are allowed: they are seen.
func CheckNewName(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return checkSeen(name)
}

// CheckNewLabel says whether an axis or an attribute can get this name. It may hold any character that is seen.
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

// isInvisible reports whether a character shows nothing of its own. Marks that stand before Arabic numbers are formats,
// but are seen.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Noncharacter_Code_Point) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, r)
}
