package compute_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
)

// TestParse checks trees by their text, in which parentheses are only where they are needed.
func TestParse(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a+b*c", "a + b * c"},
		{"(a+b)*c", "(a + b) * c"},
		{"a-b-c", "a - b - c"},
		{"a-(b-c)", "a - (b - c)"},
		{"2**3**2", "2**3**2"},
		{"(2**3)**2", "(2**3)**2"},
		{"-a**2", "-a**2"},
		{"(-a)**2", "(-a)**2"},
		{"(-2)**2", "(-2)**2"},
		{"2**-1", "2**-1"},
		{"2**-a", "2**-a"},
		{"a*-b", "a * -b"},
		{"--a", "--a"},
		{"- -2", "2"},
		{"~a&b|c^d<<1", "~a & b | c ^ d << 1"},
		{"(a|b)&c", "(a | b) & c"},
		{"a>b", "a > b"},
		{"(a>0)&(a<=5)", "(a > 0) & (a <= 5)"},
		{"(a<b)<c", "(a < b) < c"},
		{"a<(b<c)", "a < (b < c)"},
		{"a & b == c", "a & b == c"},
		{"a//b%c@d", "a // b % c @ d"},
		{"np.sqrt( a )", "sqrt(a)"},
		{"numpy.linalg.norm(a,ord='fro')", `norm(a, "fro")`},
		{"np.pi*np.e", "3.141592653589793 * 2.718281828459045"},
		{"np.T", "`np`.T"},
		{"a.sum(axis=0)", "sum(a, 0)"},
		{"sum(a, keepdims=True, axis=(0, 1))", "sum(a, (0, 1), keepdims=True)"},
		{"sum(a, axis=None)", "sum(a, None)"},
		{"a.mean().real", "real(mean(a))"},
		{"(a+b).reshape(4,-1)[0]", "(a + b).reshape(4, -1)[0]"},
		{"reshape(a+b, (4, -1))", "(a + b).reshape(4, -1)"},
		{"np.transpose(a)", "a.transpose()"},
		{"a [ ::2 ] .T", "a[::2].T"},
		{"a[..., None, 1:5:2]", "a[..., newaxis, 1:5:2]"},
		{"a[k:k+2, 0]", "a[k:k + 2, 0]"},
		{"a[::k]", "a[::k]"},
		{"a[:, None:k]", "a[:, :k]"},
		{"a[(1), 0x10]", "a[1, 16]"},
		{"a[[1,5]]", "a[[1, 5]]"},
		{"a[mask]", "a[mask]"},
		{"a[a>0, ...]", "a[a > 0, ...]"},
		{"a[()]", "a[()]"},
		{"a.astype(np.float32)", "astype(a, float32)"},
		{"a.astype('f4')", "astype(a, float32)"},
		{"float32(a)", "astype(a, float32)"},
		{"float32(0.1)", "float32(0.10000000149011612)"},
		{"int8(-3)", "int8(-3)"},
		{"bool(2)", "bool(True)"},
		{"complex64(1+2j)", "complex64(1.0 + 2j)"},
		{"zeros((2, 3), dtype=int)", "zeros((2, 3), int64)"},
		{"1_000 + 0xff + 0b11 + 1e3 + .5 + 5. + 2j", "1000 + 255 + 3 + 1000.0 + 0.5 + 5.0 + 2j"},
		{"123456789012345678901234567890", "123456789012345678901234567890"},
		{"1e400", "inf"},
		{"-inf", "-inf"},
		{"-0.0", "-0.0"},
		{"True", "True"},
		{"`weather/t2m` - `e`", "`weather/t2m` - `e`"},
		{"`plain`", "plain"},
		{"température*2", "température * 2"},
		{"(1).T", "(1).T"},
		{"a.copy().contiguous()", "a"},
		{"a.roll(1, 0)", "a.roll(1, 0)"},
		{"a.take([1, 2], axis=0)", "a.take((1, 2), 0)"},
		{"(a,)[0]", "(a,)[0]"},
		{"clip(a, max=1)", "clip(a, max=1)"},
		{"a.clip(0, 1)", "clip(a, 0, 1)"},
		{"arcsin(a) + asin(a)", "asin(a) + asin(a)"},
		{"pow(a, b) + a**b + np.add(a, b)", "a**b + a**b + (a + b)"},
		{"random(7, (3,))", "random(7, (3,))"},
		{"a.T.mT", "a.T.mT"},
		{"sum", "sum"},
	} {
		t.Run(test.text, func(t *testing.T) {
			e, err := compute.Parse(test.text)
			if err != nil {
				t.Fatal(err)
			}
			if got := e.String(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			checkRoundTrip(t, e)
		})
	}
}

// checkRoundTrip checks that the text of an expression is read as the same one.
func checkRoundTrip(t *testing.T, e compute.Expr) {
	t.Helper()
	text := e.String()
	again, err := compute.Parse(text)
	if err != nil {
		t.Fatalf("String gives %q, which is an error: %v", text, err)
	}
	if !again.Equal(e) {
		t.Fatalf("%q is read as another tree: %s", text, again)
	}
	if twice := again.String(); twice != text {
		t.Fatalf("%q is written as %q", text, twice)
	}
}

func TestParseErrors(t *testing.T) {
	deep := strings.Repeat("(", 1000)
	for _, test := range []struct {
		text string
		pos  int
		want string // part of the message
	}{
		{"", 0, "expected an expression, found the end"},
		{"a +", 3, "expected an operand, found the end"},
		{"a b", 2, `expected an operator or the end, found "b"`},
		{"a < b < c", 6, "(a < b) & (b < c)"},
		{"(a", 2, "expected"},
		{"a)", 1, `found ")"`},
		{"a[1", 1, `closing "]"`},
		{"a[]", 1, "an index without items"},
		{"a[1:2:3:4]", 8, "no more than two colons"},
		{"a[1 2]", 4, "found '2'"},
		{"sqrr(a)", 0, `did you mean "sqrt"?`},
		{"a.sme()", 2, "there is no function"},
		{"eigvals(a)", 0, "eigh and eigvalsh are for symmetric ones"},
		{"split(a, 2)", 0, "write a[:n] and a[n:]"},
		{"sqrt()", 0, "lacks its argument x"},
		{"sqrt(a, b)", 8, "no more than 1 arguments"},
		{"sum(a, axs=0)", 7, `no argument "axs" of sum(a, axis=None`},
		{"sum(a, axis=0, 1)", 15, "after one by name"},
		{"sum(a, a=b)", 7, "has its argument a twice"},
		{"a.reshape(x)", 10, "expected an integer"},
		{"reshape(a, x)", 11, "expected an integer"},
		{"a.reshape", 2, "is a method: expected parentheses"},
		{"model.weight", 6, "back quotes"},
		{"a and b", 2, "write &"},
		{"f(a) and b", 0, "there is no function"},
		{"sqrt(a and b)", 7, "write &"},
		{"not a", 0, "logical_not"},
		{"a if c else b", 2, "where(condition, x, y)"},
		{"a && b", 2, "write &"},
		{"a = b", 2, "=="},
		{"1__0", 0, "underscore"},
		{"0x", 0, "not a number"},
		{"1.2.3", 0, "not a number"},
		{"12abc", 0, "not a number"},
		{"int8(300)", 5, "int8 holds -128 to 127"},
		{"float32(1, 2)", 0, "one argument"},
		{"a.astype(flot32)", 9, "float32"},
		{"`a", 0, "closing"},
		{"``", 0, "empty name"},
		{"'abc", 0, "closing"},
		{"a # b", 2, "'#'"},
		{deep, 200, "nested deeper"},
		{strings.Repeat("-", 1000), 199, "nested deeper"},
		{strings.Repeat("a**", 1000) + "a", 0, "nested deeper"},
		{strings.Repeat("a+", 40000) + "a", 64 << 10, "more than 65536"},
	} {
		name := test.text
		if len(name) > 40 {
			name = name[:40]
		}
		t.Run(name, func(t *testing.T) {
			_, err := compute.Parse(test.text)
			var at *compute.ExprError
			if !errors.As(err, &at) {
				t.Fatalf("got %v, want an *ExprError", err)
			}
			if at.Text != test.text || test.pos > 0 && at.Pos != test.pos {
				t.Errorf("error at %d, want %d: %v", at.Pos, test.pos, err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q in it", err, test.want)
			}
		})
	}
}

func TestParseProgram(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"c = sqrt(a*a + b*b)", "c = sqrt(a * a + b * b)"},
		{"c=a; d[::2].T += 2*c ;", "c = a; d[::2].T += 2 * c"},
		{"`weather/t2m`[0] -= 273.15", "`weather/t2m`[0] -= 273.15"},
		{"c max= a; c min= b; c *= 2; c /= 3", "c max= a; c min= b; c *= 2; c /= 3"},
		{"max = a", "max = a"},
		{"max(a)", "max(a)"},
		{"a == b", "a == b"},
		{"a.reshape(2, 3)[0] = 1", "a.reshape(2, 3)[0] = 1"},
		{"c = -a", "c = -a"},
		{"c=-a", "c = -a"},
		{"sum(a, axis=0)", "sum(a, 0)"},
		{"`e` = 1", "`e` = 1"},
	} {
		t.Run(test.text, func(t *testing.T) {
			stmts, err := compute.ParseProgram(test.text)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, s := range stmts {
				texts = append(texts, s.String())
			}
			if got := strings.Join(texts, "; "); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestParseProgramErrors(t *testing.T) {
	for _, test := range []struct {
		text string
		pos  int
		want string
	}{
		{"", 0, "found nothing"},
		{";;", 2, "found nothing"},
		{"c = ", 4, "found the end"},
		{"c **= 2", 2, "there is no assignment"},
		{"c := 2", 2, "there is no assignment"},
		{"weather/t2m = 1", 12, "back quotes"},
		{"e = 1", 0, "back quotes"},
		{"a.reshape(x) = 1", 10, "expected an integer"},
		{"a = 1 b = 2", 6, "expected an operator or the end"},
		{"a; b; sqrr(c)", 6, "sqrt"},
	} {
		t.Run(test.text, func(t *testing.T) {
			_, err := compute.ParseProgram(test.text)
			var at *compute.ExprError
			if !errors.As(err, &at) || at.Pos != test.pos || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want position %d and %q", err, test.pos, test.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"sqrt(a*a + b*b)", "a[::2].T + b[[1, 5], None]", "-x**-2", "sum(a, axis=(0, 1), where=a > 0)",
		"complex64(1+2j)*1_000", "`a/b`[k:, ~mask]", "a.take([1],0).reshape(2,-1)", "a if b", "reshape(a, 2", "((((", "1..T", "a[\"",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := compute.Parse(text)
		if err == nil {
			checkRoundTrip(t, e)
			return
		}
		var at *compute.ExprError
		if !errors.As(err, &at) || at.Pos < 0 || at.Pos > len(text) || at.Text != text {
			t.Fatalf("the error of %q has no place: %#v", text, err)
		}
	})
}

func FuzzParseProgram(f *testing.F) {
	for _, seed := range []string{"c = a; d[::2] += 2*c", "a.T[0] max= b", "x(1)[2 = 3", "a = ;b", "`x` min= 1e3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		stmts, err := compute.ParseProgram(text)
		if err != nil {
			return
		}
		for _, s := range stmts {
			again, err := compute.ParseProgram(s.String())
			if err != nil || len(again) != 1 || again[0].String() != s.String() || !again[0].Expr.Equal(s.Expr) {
				t.Fatalf("%q is written as %q, which is read as %v, %v", text, s, again, err)
			}
		}
	})
}
