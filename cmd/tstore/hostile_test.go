package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/tstore/tstore"
)

// TestHostileNames gives names that no name can be to every command that takes one: each is refused
// with one short line that can be printed.
func TestHostileNames(t *testing.T) {
	names := map[string]string{
		"empty":        "",
		"NUL":          "a\x00b",
		"escape":       "\x1b[2Jx",
		"newline":      "a\nb",
		"not UTF-8":    "a\xff\xfe",
		"long":         strings.Repeat("x", 10_000),
		"long, spaces": strings.Repeat("x ", 5_000) + "x",
		"upwards":      "../../etc/passwd",
		"dot":          "./x",
		"absolute":     "/etc/passwd",
		"empty part":   "a//b",
		"flag":         "--help",
		"bidi":         "a\u202eb[",
	}
	commands := []string{
		"adopt FILE --name=NAME", "append --value 1 -- NAME", "attr -- NAME", "attr -- NAME key value", "blob -- NAME", "blob -- NAME 1",
		"cp -- NAME new", "cp -- x NAME", "cp --dry-run -- x NAME", "create --dtype int8 --shape 1 -- NAME", "create --dtype int8 --shape 1 --dry-run -- NAME",
		"diff -- x NAME", "export -- NAME out.npy", "fill -- NAME 0", "fsck --accept-dirty=NAME", "get -- NAME",
		"import FILE --name=NAME", "import FILE --dry-run --name=NAME", "mv -- NAME new", "mv -- x NAME", "resize -- NAME 1", "rm -- NAME", "rm -r -- NAME",
		"set -- NAME 0", "set x --from=NAME", "show -- NAME", "stats -- NAME", "view -- NAME x", "view -- new NAME",
	}
	dir := filepath.Join(t.TempDir(), "s")
	if err := makeFixture(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	before := listing(t, dir)
	for label, name := range names {
		t.Run(label, func(t *testing.T) {
			for _, command := range commands {
				if name == "" && strings.Contains(command, "--name") {
					continue // an empty --name is none: the file's counts
				}
				checkRefused(t, dir, command, name)
			}
		})
	}
	if after := listing(t, dir); after != before {
		t.Errorf("the store changed from\n%s\nto\n%s", before, after)
	}
}

func checkRefused(t *testing.T, dir, command, name string) {
	t.Helper()
	args := []string{"--store", dir, "--lock-timeout", "10s"}
	for _, word := range strings.Fields(command) {
		word = strings.ReplaceAll(word, "FILE", "../../testdata/volcano.npy")
		args = append(args, strings.ReplaceAll(word, "NAME", name))
	}
	var stdout, stderr bytes.Buffer
	code := run(args, strings.NewReader(""), &stdout, &stderr)
	line := stderr.String()
	if code != 2 || stdout.Len() > 0 {
		t.Errorf("%s: exit code %d, printed %q and %q; want 2 and an error", command, code, stdout.String(), line)
		return
	}
	text, ended := strings.CutSuffix(line, "\n")
	if !ended || !strings.HasPrefix(text, "tstore: ") || len(text) > 1000 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Errorf("%s: want one short line, found %d bytes: %.200q", command, len(line), line)
	}
}

// listing is the names in a store.
func listing(t *testing.T, dir string) string {
	t.Helper()
	s, err := tstore.Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	names, err := groupMembers(t.Context(), s, "")
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}
