package syntax_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/internal/syntax"
)

// readers are all ways to read a text, each with how what it has read is read again.
var readers = []struct {
	name        string
	read, again func(text string) syntax.Tree
}{
	{"expression", syntax.Expression, syntax.Expression},
	{"program", syntax.Program, syntax.Program},
	{"steps", ofExpression, ofExpression},
	{"steps of a selector", ofSelector, ofSelector},
	{"items", func(text string) syntax.Tree { return syntax.Items(text, syntax.MaxText) }, func(text string) syntax.Tree {
		return syntax.Items(text[1:len(text)-1], syntax.MaxText)
	}},
}

func ofExpression(text string) syntax.Tree { return syntax.Steps(text, false) }

func ofSelector(text string) syntax.Tree { return syntax.Steps(text, true) }

// checkRoundTrip checks that a tree that was read is written as text of the same tree, and that a
// mistake has a place.
func checkRoundTrip(t *testing.T, name, text string, read, again func(string) syntax.Tree) {
	t.Helper()
	tree := read(text)
	defer tree.Free()
	if tree.Err != nil {
		if tree.Err.Pos < 0 || tree.Err.Pos > len(text) {
			t.Fatalf("%s %q: a mistake at %d", name, text, tree.Err.Pos)
		}
		return
	}
	written := tree.Root.String()
	back := again(written)
	defer back.Free()
	if back.Err != nil {
		t.Fatalf("%s %q is written as %q, which has a mistake: %+v", name, text, written, back.Err)
	}
	if !back.Root.Equal(tree.Root) {
		t.Fatalf("%s %q is written as %q, which is read as %q", name, text, written, back.Root)
	}
}

// FuzzSyntax reads any text in all ways.
func FuzzSyntax(f *testing.F) {
	for _, seed := range []string{
		"sqrt(a*a + b*b)", "a[::2].T + b[[1, 5], None]", "-x**-2", "sum(a, axis=(0, 1), where=a > 0)", "c = a; d[::2] += 2*c",
		"`a/b`[k:, ~mask]", "q, r = qr(a)", "x[a/b, \"c d\"] max= 1", ".T[::-1].reshape(4,-1)", "[[1, 2], \"a]b\", mask].view('<i2')",
		"1:9:2, ..., newaxis, -1", "((((", "a < b < c", "(a.T)[0]", "(1).T", "a[\"", "e", "np.newaxis, np.pi", "[`a b`, e, True]", "a[it's]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range readers {
			checkRoundTrip(t, r.name, text, r.read, r.again)
		}
		for name, steps := range syntax.Cuts(text) {
			if name+steps != text {
				t.Fatalf("%q is cut into %q and %q", text, name, steps)
			}
		}
		for name := range syntax.Bare(text, "+*") {
			if !strings.Contains(text, name) || strings.ContainsAny(name, "+*()[]\"'` ") {
				t.Fatalf("%q has the bare name %q", text, name)
			}
		}
	})
}

func TestExpressions(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a+b*c", "a + b * c"},
		{"(a+b)*c-d", "(a + b) * c - d"},
		{"-a**-2**b", "-a**-2**b"},
		{"(-2)**2", "(-2)**2"},
		{"(a<b)<c", "(a < b) < c"},
		{"(1).T", "(1).T"},
		{"((a.T))[0]", "a.T[0]"},
		{"a[1,::2 , k:k+2,...,None]", "a[1, ::2, k:k + 2, ..., newaxis]"},
		{"f( a , axis = (0,) )", "f(a, axis=(0,))"},
		{"`weather/t2m` - `plain` + `e` + e", "`weather/t2m` - plain + `e` + e"},
		{"[[1], []]", "[[1], []]"},
		{"température", "température"},
		{`f("a'b", 'c"d')`, `f("a'b", 'c"d')`},
	} {
		tree := syntax.Expression(test.text)
		if tree.Err != nil || tree.Root.String() != test.want {
			t.Errorf("%s: got %s, %+v, want %s", test.text, tree.Root, tree.Err, test.want)
		}
	}
}

func TestSelectors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{".T[a/b, my-mask, e]", ".T[`a/b`, `my-mask`, `e`]"},
		{"[\"a b\", `c d`, mask, True]", "[`a b`, `c d`, mask, True]"},
		{"[\"a`b\"]", "[\"a`b\"]"},
		{"[np.newaxis, None, Ellipsis, - 1]", "[newaxis, newaxis, ..., -1]"},
		{".view(np.int16)[()]", ".view(np.int16)[()]"},
	} {
		tree := syntax.Steps(test.text, true)
		if tree.Err != nil || tree.Root.String() != test.want {
			t.Errorf("%s: got %s, %+v, want %s", test.text, tree.Root, tree.Err, test.want)
		}
	}
}

// TestCuts holds the ways to cut a selector into a name and steps.
func TestCuts(t *testing.T) {
	for text, want := range map[string][]string{
		"x":                  {"x|"},
		"":                   {"|"},
		"g/x-1[0].T":         {"g/x-1|[0].T"},
		"a/v2.net.T[0]":      {"a/v2.net.T|[0]", "a/v2.net|.T[0]", "a/v2|.net.T[0]"},
		"a.b-c.T":            {"a.b-c.T|", "a.b-c|.T"},
		"x.T .reshape (2,3)": {"x.T |.reshape (2,3)", "x|.T .reshape (2,3)"},
		"a@monday.max()":     {"a@monday|.max()"},
		"v1.5.T":             {"v1.5.T|", "v1.5|.T"},
		"f(a.T)[0]":          nil,
		".T":                 {".T|", "|.T"},
		"x.":                 {"x.|"},
	} {
		var got []string
		for name, steps := range syntax.Cuts(text) {
			got = append(got, name+"|"+steps)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestBare holds what may be names without quotes.
func TestBare(t *testing.T) {
	for text, want := range map[string][]string{
		"g/x-1+2*h/y":           {"g/x-1", "2", "h/y"},
		"(a.b [c@d], 1e-3)":     {"a.b", "c@d", "1e-3"},
		"`g/x` + \"h/y\" - 'z'": {"-"},
		"x#1 ~ `open":           {"x#1", "open"},
		"":                      nil,
	} {
		if diff := cmp.Diff(want, slices.Collect(syntax.Bare(text, "+*~"))); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
}

// TestPartialTrees checks that what stands before a mistake is in the tree.
func TestPartialTrees(t *testing.T) {
	for _, test := range []struct {
		text, want string
		pos        int
	}{
		{"f(a, g(b c", "f(a, g(b))", 9},
		{"a + ", "a + <>", 4},
		{"a[1, 2:3:4:5]", "a[1, 2:3:4]", 10},
		{"f(a) and b", "f(a)", 5},
		{strings.Repeat("(", 300), "<>", 200},
	} {
		tree := syntax.Expression(test.text)
		if tree.Err == nil || tree.Err.Pos != test.pos || tree.Root.String() != test.want {
			t.Errorf("%.20s: got %s, %+v, want %s and a mistake at %d", test.text, tree.Root, tree.Err, test.want, test.pos)
		}
	}
}

func TestInt(t *testing.T) {
	for _, test := range []struct {
		text     string
		want     int
		fits, ok bool
	}{
		{"12", 12, true, true},
		{"-12", -12, true, true},
		{"+007", 7, true, true},
		{"9223372036854775807", 1<<63 - 1, true, true},
		{"9223372036854775808", 1<<63 - 1, false, true},
		{"-9223372036854775808", -1 << 63, true, true},
		{"-9223372036854775809", -1 << 63, false, true},
		{"99999999999999999999999999", 1<<63 - 1, false, true},
		{"0x10", 0, false, false},
		{"--1", 0, false, false},
		{"a", 0, false, false},
	} {
		v, fits, ok := syntax.Expression(test.text).Root.Int()
		if fits != test.fits || ok != test.ok || v != test.want && ok {
			t.Errorf("%s: got %d, %t, %t", test.text, v, fits, ok)
		}
	}
}
