package compute

import (
	"testing"

	"github.com/tstore/tstore/internal/syntax"
)

// TestLanguageHasOneTable checks that the words and operators of the table of functions are those
// of the language.
func TestLanguageHasOneTable(t *testing.T) {
	for word := range constants {
		if syntax.Plain(word) {
			t.Errorf("%s is a number here and a plain name in the language", word)
		}
	}
	for symbol, fn := range theFunctions().binary {
		tree := syntax.Expression("a" + symbol + "b")
		if tree.Err != nil || tree.Root.Kind != syntax.Binary || syntax.Precedence(fn.prec) != tree.Root.Precedence() {
			t.Errorf("%s: the language has %s, %+v, of precedence %d, want %d", symbol, tree.Root, tree.Err, tree.Root.Precedence(), fn.prec)
		}
	}
	for symbol := range theFunctions().unary {
		if tree := syntax.Expression(symbol + "b"); tree.Err != nil || tree.Root.Kind != syntax.Unary {
			t.Errorf("%s: the language has %s, %+v", symbol, tree.Root, tree.Err)
		}
	}
}

// TestNamesBetweenBrackets checks that an index of a selector means the same in an expression.
func TestNamesBetweenBrackets(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"a[\"b c\", ::2]", "a[`b c`, ::2]"},
		{"a[`e`, e]", "a[`e`, 2.718281828459045]"},
		{"a[99999999999999999999:]", "a[9223372036854775807:]"},
		{"a[()]", "a[()]"},
	} {
		e, err := Parse(test.text)
		if err != nil || e.String() != test.want {
			t.Errorf("%s: got %s, %v, want %s", test.text, e, err, test.want)
		}
	}
}

func TestTupleAndList(t *testing.T) {
	want, err := Parse("histogram(a, [0, 1.5, 3]) + histogram(a, 3, (0.0, 1.0))")
	if err != nil {
		t.Fatal(err)
	}
	edges := List(Scalar(0), Scalar(1.5), Scalar(3))
	got := Call("histogram", Name("a"), edges).Add(Call("histogram", Name("a"), Scalar(3), Tuple(Scalar(0.0), Scalar(1.0))))
	if !got.Equal(want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := List(Expr{}).Eval(t.Context(), Env{}, nil); err == nil {
		t.Error("a list of nothing was computed")
	}
}
