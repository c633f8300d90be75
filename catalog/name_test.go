package catalog_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore/catalog"
)

func TestCheckName(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want string // part of the error; "" for none
	}{
		"plain":           {"a", ""},
		"path":            {"weather/t2m", ""},
		"unicode":         {"météo/température", ""},
		"spaces inside":   {"a b/c d", ""},
		"dots":            {"a.b/..c/d..", ""},
		"dash inside":     {"a-b/-c", ""},
		"longest":         {strings.Repeat("n", 1024), ""},
		"empty":           {"", "empty"},
		"too long":        {strings.Repeat("n", 1025), "1025 bytes"},
		"not UTF-8":       {"a\xff", "UTF-8"},
		"leading dash":    {"-rf", "starts with"},
		"leading space":   {" a", "space"},
		"trailing space":  {"a ", "space"},
		"trailing NBSP":   {"a\u00a0", "space"},
		"empty part":      {"a//b", "empty"},
		"leading slash":   {"/a", "empty"},
		"trailing slash":  {"a/", "empty"},
		"dot":             {"a/./b", "reserved"},
		"dot dot":         {"../etc/passwd", "reserved"},
		"NUL":             {"a\x00b", "control"},
		"newline":         {"a\nb", "control"},
		"C1 control":      {"a\u0085b", "control"},
		"bracket":         {"a[0]", `'['`},
		"star":            {"a*", `'*'`},
		"question mark":   {"a?", `'?'`},
		"at":              {"a@b", `'@'`},
		"back slash":      {`a\b`, `'\\'`},
		"quote":           {`a"b`, `'"'`},
		"back quote":      {"a`b", "'`'"},
		"parenthesis":     {"f(x)", `'('`},
		"single quote ok": {"a'b", ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := catalog.CheckName(c.in)
			switch {
			case c.want == "" && err != nil:
				t.Fatal(err)
			case c.want != "" && (!errors.Is(err, catalog.ErrBadName) || !strings.Contains(err.Error(), c.want)):
				t.Fatalf("CheckName(%.40q) = %v, want an ErrBadName with %q", c.in, err, c.want)
			}
		})
	}
}

// FuzzName checks that every name that is allowed can be stored, found and listed, and comes back
// as it was.
func FuzzName(f *testing.F) {
	for _, s := range []string{"a", "weather/t2m", "a!b/c", "é/ü", "a/b/c/d", " x", "-", "a//b"} {
		f.Add(s)
	}
	c, err := catalog.Create(f.Context(), f.TempDir(), &catalog.Options{NoSync: true})
	if err != nil {
		f.Fatal(err)
	}
	defer c.Close()
	f.Fuzz(func(t *testing.T, name string) {
		err := c.Update(t.Context(), func(tx *catalog.Tx) error {
			putErr := tx.Put(blob(name, "x"))
			if bad := catalog.CheckNewName(name); (bad != nil) != (putErr != nil) {
				t.Fatalf("CheckNewName(%q) = %v, but Put: %v", name, bad, putErr)
			}
			if putErr != nil {
				return errStop
			}
			r, err := tx.Get(name)
			if err != nil || r.Name != name {
				t.Fatalf("Get(%q) = %q, %v", name, r.Name, err)
			}
			items, err := tx.List("", "", true, 2)
			if err != nil || len(items) != 1 || items[0].Name != name {
				t.Fatalf("List after Put(%q) = %v, %v", name, items, err)
			}
			if err := tx.Delete(name); err != nil {
				t.Fatal(err)
			}
			return errStop
		})
		if !errors.Is(err, errStop) {
			t.Fatal(err)
		}
	})
}

// errStop ends a transaction without a commit.
var errStop = errors.New("stop")

func TestID(t *testing.T) {
	id := catalog.NewID()
	got, err := catalog.ParseID(id.String())
	if err != nil || got != id || id.IsZero() {
		t.Fatalf("ParseID(%v) = %v, %v", id, got, err)
	}
	for _, bad := range []string{"", "00", strings.Repeat("z", 32), strings.Repeat("0", 34)} {
		if _, err := catalog.ParseID(bad); !errors.Is(err, catalog.ErrInvalid) {
			t.Errorf("ParseID(%q): %v", bad, err)
		}
	}
}

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

// TestOldNames reads, changes, renames and deletes what an older program has given an invisible
// name.
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
