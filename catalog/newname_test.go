package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore/catalog"
)

func TestCheckNewName(t *testing.T) {
	for _, name := range []string{
		"weather/t2m", "a b", "température", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\U0001F469\u200d\U0001F680",
		"\u2764", "\u0601\u0661", "\ue000",
	} {
		if err := catalog.CheckNewName(name); err != nil {
			t.Errorf("%+q: %v", name, err)
		}
	}
	for _, r := range []rune{
		0x00AD, 0x061C, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069,
		0x180B, 0xFE00, 0xFE0F, 0xE0100, 0xFEFF, 0xFFFE, 0xFDD0, 0x3164, 0xE0041, 0x10FFFF,
	} {
		err := catalog.CheckNewName("x/a" + string(r) + "b")
		if !errors.Is(err, catalog.ErrBadName) || !strings.Contains(err.Error(), fmt.Sprintf("U+%04X", r)) {
			t.Errorf("U+%04X: %v", r, err)
		}
	}
}

func TestCheckNewLabel(t *testing.T) {
	for _, label := range []string{"time", "a*b [m/s] (\"x\")", "-", "température", " "} {
		if err := catalog.CheckNewLabel(label); err != nil {
			t.Errorf("%+q: %v", label, err)
		}
	}
	for _, label := range []string{"t\u200b", "t\u202e", "t\u2028", "\ufeff", "t\ufe0f", "a\nb", "a\x1b[2J"} {
		if err := catalog.CheckNewLabel(label); !errors.Is(err, catalog.ErrBadName) {
			t.Errorf("%+q: %v", label, err)
		}
	}
}

// TestOldNames reads, changes, renames and deletes what an older program has given an invisible name.
func TestOldNames(t *testing.T) {
	c := create(t, nil)
	old := "x\u202ey"
	blob := catalog.Record{Name: old, Kind: catalog.KindBlob, Blob: catalog.IntValue(1)}
	for what, change := range map[string]func(*catalog.Tx) error{
		"new": func(tx *catalog.Tx) error { return tx.Put(blob) },
		"in a new group": func(tx *catalog.Tx) error {
			in := blob
			in.Name = "g\u200b/x"
			return tx.Put(in)
		},
		"renamed to": func(tx *catalog.Tx) error {
			plain := blob
			plain.Name = "plain"
			return errors.Join(tx.Put(plain), tx.Rename("plain", old))
		},
	} {
		if err := c.Update(t.Context(), change); !errors.Is(err, catalog.ErrBadName) || !strings.Contains(err.Error(), "U+20") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for what, change := range map[string]func(*catalog.Tx) error{
		"changed": func(tx *catalog.Tx) error { return errors.Join(tx.PutBack(blob), tx.Put(blob)) },
		"renamed": func(tx *catalog.Tx) error {
			return errors.Join(tx.PutBack(blob), tx.Rename(old, "seen"), tx.Delete("seen"))
		},
		"deleted": func(tx *catalog.Tx) error { return errors.Join(tx.PutBack(blob), tx.Delete(old)) },
	} {
		if err := c.Update(t.Context(), change); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
