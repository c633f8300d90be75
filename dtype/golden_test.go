package dtype_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore/dtype"
)

// goldenLines returns the fields of each line of a file in testdata/golden that testdata/golden.py
// wrote, cut into at most n.
func goldenLines(t *testing.T, name string, n int) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "golden", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var lines [][]string
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		if line := scanner.Text(); !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.SplitN(line, " ", n))
		}
	}
	if err := scanner.Err(); err != nil || len(lines) == 0 {
		t.Fatalf("%s: %d lines, %v", name, len(lines), err)
	}
	return lines
}

// fromHex reads an element from hex, most significant byte first.
func fromHex(t *testing.T, typ dtype.Type, text string) dtype.Scalar {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != typ.Size() {
		t.Fatalf("%q is not a %v: %v", text, typ, err)
	}
	slices.Reverse(b)
	return dtype.Load(typ, b)
}

func parseType(t *testing.T, name string) dtype.Type {
	t.Helper()
	typ, err := dtype.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

func TestStringAsNumPy(t *testing.T) {
	for _, line := range goldenLines(t, "numpy_str.txt", 3) {
		s := fromHex(t, parseType(t, line[0]), line[1])
		if got := s.String(); got != line[2] {
			t.Errorf("%s %s prints %q, NumPy %q", line[0], line[1], got, line[2])
		}
	}
}

func TestEveryFloat16AsNumPy(t *testing.T) {
	for exponent, line := range goldenLines(t, "numpy_float16.txt", 2) {
		all := make([]string, 0, 1024)
		for mantissa := range 1024 {
			all = append(all, dtype.F16(exponent<<10|mantissa).String())
		}
		if sum := sha256.Sum256([]byte(strings.Join(all, "\n"))); fmt.Sprintf("%x", sum) != line[1] {
			t.Errorf("exponent %d differs from NumPy: %v …", exponent, all[:8])
		}
	}
}

func TestConvertAsNumPy(t *testing.T) {
	for _, line := range goldenLines(t, "numpy_convert.txt", -1) {
		from, to := parseType(t, line[0]), parseType(t, line[1])
		for _, pair := range line[2:] {
			before, after, _ := strings.Cut(pair, ">")
			s, want := fromHex(t, from, before), fromHex(t, to, after)
			if got := s.Convert(to); !same(got, want) {
				t.Errorf("%s becomes %s, NumPy %s", show(s), show(got), show(want))
			}
		}
	}
}
