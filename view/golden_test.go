package view_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tstore/tstore/view"
)

// goldenLines returns the fields of each line of a file of golden cases.
func goldenLines(t *testing.T, name string, fields int) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var lines [][]string
	for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		parts := strings.Split(line, "\t")
		if len(parts) != fields {
			t.Fatalf("%s:%d: %d fields, expected %d", name, i+1, len(parts), fields)
		}
		lines = append(lines, parts)
	}
	return lines
}

// parseInts reads "[1,2,3]".
func parseInts(t *testing.T, text string) []int {
	t.Helper()
	text = strings.Trim(text, "[]")
	if text == "" {
		return []int{}
	}
	var out []int
	for field := range strings.SplitSeq(text, ",") {
		v, err := strconv.Atoi(field)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}

// parseLayout reads "shape;strides;offset".
func parseLayout(t *testing.T, text string) view.Layout {
	t.Helper()
	parts := strings.Split(text, ";")
	offset := 0
	if parts[2] != "-" {
		offset = parseInts(t, parts[2])[0]
	}
	l, err := view.MakeLayout(parseInts(t, parts[0]), parseInts(t, parts[1]), offset)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// formatLayout is the reverse of parseLayout.
func formatLayout(l view.Layout) string {
	offset := "-"
	if l.NumElems() > 0 {
		offset = strconv.Itoa(l.Offset())
	}
	return strings.ReplaceAll(fmt.Sprintf("%v;%v;%s", l.Shape(), l.Strides(), offset), " ", ",")
}

// numpyError words an error as NumPy does.
func numpyError(err error) string {
	var rank *view.RankError
	if errors.As(err, &rank) {
		return fmt.Sprintf("error: too many indices for array: array is %d-dimensional, but %d were indexed", rank.Want, rank.Got)
	}
	return "error: " + err.Error()
}

func TestIndexAsNumPy(t *testing.T) {
	lines := goldenLines(t, "index_golden.txt", 3)
	if len(lines) < 1000 {
		t.Errorf("only %d cases", len(lines))
	}
	for _, line := range lines {
		from, text, want := line[0], line[1], line[2]
		ix, err := view.ParseIndex(text)
		if err != nil {
			t.Errorf("ParseIndex(%q): %v", text, err)
			continue
		}
		l := parseLayout(t, from)
		var got string
		if sub, err := l.Index(ix); err != nil {
			got = numpyError(err)
		} else {
			got = formatLayout(sub)
		}
		if got != want {
			t.Errorf("%s [%s]\n got %s\nwant %s", from, text, got, want)
		}
	}
}

func TestReshapeAsNumPy(t *testing.T) {
	for _, line := range goldenLines(t, "reshape_golden.txt", 3) {
		from, shape, want := line[0], parseInts(t, line[1]), line[2]
		var got string
		switch l, err := parseLayout(t, from).Reshape(shape...); {
		case errors.Is(err, view.ErrNeedsCopy):
			got = "copy"
		case err != nil:
			got = "error"
		default:
			got = formatLayout(l)
		}
		if got != want {
			t.Errorf("%s to %v\n got %s\nwant %s", from, shape, got, want)
		}
	}
}
