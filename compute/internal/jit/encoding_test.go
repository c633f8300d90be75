package jit

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/encodings.txt again, by objdump")

// TestEncodings compares bytes with those of testdata/encodings.txt, which says beside them what
// they mean, and that with what objdump makes of them if it is installed.
func TestEncodings(t *testing.T) {
	path := filepath.Join("testdata", "encodings.txt")
	all := encodings()
	if *update {
		var text bytes.Buffer
		for i, meaning := range disassemble(t, all) {
			fmt.Fprintf(&text, "%x %s\n", all[i].code, meaning)
		}
		if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	table, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	var meanings []string
	for line := range strings.Lines(string(table)) {
		code, meaning, _ := strings.Cut(strings.TrimSpace(line), " ")
		known[code] = meaning
	}
	for _, e := range all {
		meaning, ok := known[hex.EncodeToString(e.code)]
		if !ok || !strings.HasPrefix(meaning, e.name[:min(len(e.name), 5)]) {
			t.Errorf("%s is %x, which the table calls %q", e.name, e.code, meaning)
		}
		meanings = append(meanings, meaning)
	}
	if _, err := exec.LookPath("objdump"); err != nil {
		t.Log("objdump is not installed: the table alone was compared")
		return
	}
	if diff := cmp.Diff(meanings, disassemble(t, all)); diff != "" {
		t.Errorf("objdump disagrees with the table (-table +objdump):\n%s", diff)
	}
}

var line = regexp.MustCompile(`(?m)^\s+[0-9a-f]+:\t(?:[0-9a-f]{2} )+\s*\t(.*)$`)

// disassemble returns what objdump makes of instructions.
func disassemble(t *testing.T, all []encoded) []string {
	var code []byte
	for _, e := range all {
		code = append(code, e.code...)
	}
	path := filepath.Join(t.TempDir(), "code")
	if err := os.WriteFile(path, code, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-M", "intel", "--insn-width=16", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var text []string
	for _, m := range line.FindAllSubmatch(out, -1) {
		meaning := regexp.MustCompile(`\s+`).ReplaceAllString(strings.TrimSpace(string(m[1])), " ")
		meaning = strings.TrimPrefix(meaning, "{evex} ") // newer versions of objdump say so
		if strings.HasPrefix(meaning, "j") {
			meaning, _, _ = strings.Cut(meaning, " ") // where to depends on where it is
		}
		text = append(text, meaning)
	}
	if len(text) != len(all) {
		t.Fatalf("objdump found %d instructions, want %d", len(text), len(all))
	}
	return text
}
