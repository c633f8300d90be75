package compute

import "testing"

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
