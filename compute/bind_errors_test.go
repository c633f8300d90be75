package compute

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/tstore/tstore/dtype"
)

func TestBindErrors(t *testing.T) {
	many := Scalar(1)
	for range 70 {
		many = many.Add(many)
	}
	deep := Name("row")
	for range 110_000 {
		deep = deep.Neg()
	}
	for _, test := range []struct {
		text string
		pos  int
		want string
	}{
		{"1 + a + arange(5)", 6, "+: shapes (4, 6) and (5,) "},
		{"a + arange(5)", 2, "+: shapes (4, 6) and (5,) do not go together"},
		{"nothing + a", 0, `no tensor "nothing"`},
		{"int8(1) + 300", 8, "300: out of range: int8 holds -128 to 127"},
		{"m - m", 2, "write ^ or logical_xor"},
		{"-m", 0, "logical_not"},
		{"a & b", 2, "& takes bool or integer elements, found float32"},
		{"z // 2", 2, "// takes integer or float elements, found complex64"},
		{"floor(z)", 0, "floor takes float elements, found complex64"},
		{"i ** -1", 2, "negative integer powers"},
		{"i ** (i - 3)", 2, "negative integer powers"},
		{"1 / 0", 2, "division by zero"},
		{"9**9**9", 1, "more than 4096 bits"},
		{"1 << 10**9", 2, "a shift by"},
		{"1j < 2j", 3, "complex numbers have no order"},
		{"1.5 & 2", 4, "expected integers"},
		{"a @ b", 2, "expected as many columns of the first as rows of the second, found 6 and 4"},
		{"einsum('ij,jk', a, a)", 0, "axis 0 of operand 2, of shape (4, 6), has 4 elements: expected 6, as the axis 'j' has before"},
		{"einsum('i...,...', a, arange(5))", 0, "axis 0 of operand 2"},
		{"concatenate([a, arange(5)])", 0, "shape (5,) of array 2 does not go with shape (4, 6) of the first along axis 0"},
		{"concatenate([a, 1])", 0, "array 2 is a number"},
		{"concatenate([])", 12, "concatenate of no arrays"},
		{"concatenate([a, a], axis=2)", 25, "axis 2 is out of bounds"},
		{"concatenate([a, nothing])", 16, `no tensor "nothing"`},
		{"concatenate([a, a], dtype=int8)", 26, "float32 elements as int8 changes their kind"},
		{"concatenate(zeros((20_000, 2)))", 12, "expected a list of arrays, as in concatenate([a, b])"},
		{"concatenate([zeros(2**62), zeros(2**62)])", 0, "axis 0: more elements than can be addressed"},
		{"pad(a, 2**61)", 8, "more than can be addressed"},
		{"stack([a, a.T])", 0, "shape (6, 4) of array 2 is not that of the first, (4, 6)"},
		{"stack([a, a], axis=3)", 19, "axis 3 is out of bounds"},
		{"hstack([a, a.T])", 0, "does not go with shape (4, 6)"},
		{"column_stack([a, arange(5)])", 0, "shape (5, 1) of array 2"},
		{"pad(a, -1)", 7, "pad_width of -1 elements"},
		{"pad(a, (1, 2, 3))", 7, "a number, a pair for both sides"},
		{"pad(a, ((1, 2), (3, 4), (5, 6)))", 7, "pad_width for 3 axes, found 2"},
		{"pad(a, 1, mode='mirror')", 15, "mode is one of"},
		{"pad(a[:0], 1, 'edge')", 0, "axis 0 has no elements"},
		{"pad(a, 1, 'mean', stat_length=0)", 30, "stat_length of 0"},
		{"pad(a, 1, 'reflect', reflect_type='left')", 34, "reflect_type is"},
		{"pad(i, 1, constant_values=1e30)", 0, "out of range"},
		{"pad(a, 10**12, 'wrap')", 0, "tile(a"},
		{"cross(a, a)", 0, "cross of shape (4, 6): expected 3 elements along axis 1"},
		{"cross(a[:, :3], arange(9).reshape(3, 3))", 0, "do not go together"},
		{"kron(a, nothing)", 8, `no tensor "nothing"`},
		{"tril(3)", 0, "expected matrices"},
		{"eye(-1)", 0, "expected sizes of 0 or more"},
		{"eye(10**10)", 0, "reaches past the largest position"},
		{"nonzero(3)", 0, "expected an array with one axis at least"},
		{"gradient(a)", 0, "name one axis"},
		{"gradient(a[:1], axis=0)", 0, "gradient along 1 elements: expected 2 at least"},
		{"gradient(a, [1, 2], axis=0)", 12, "expected a number, or 4 coordinates"},
		{"gradient(a, axis=0, edge_order=3)", 31, "edge_order is 1 or 2"},
		{"interp(a, [1, 2], [1])", 0, "between points of shapes (2,) and (1,)"},
		{"interp(a, [], [])", 0, "one point at least"},
		{"interp(z, [1], [1])", 0, "interp takes"},
		{"interp(a, [1, 2], [3, 4], period=0)", 33, "a period of 0"},
		{"average(a, weights=arange(5))", 19, "weights of shape (5,)"},
		{"average(a, axis=5)", 16, "axis 5 is out of bounds"},
		{"softmax(a, axis=2)", 16, "axis 2 is out of bounds"},
		{"softmax(m)", 0, "- takes no bool elements"},
		{"isclose(a, arange(5))", 0, "do not go together"},
		{"permutation(-1, 5)", 12, "a seed is an integer from 0"},
		{"permutation(1, -5)", 15, "expected how many numbers there are"},
		{"permutation(1, 2.5)", 15, "expected an integer"},
		{"normal(1, shape=-1)", 16, "-1"},
		{"normal(1, a, shape=3)", 0, "an argument of shape (4, 6) does not fit shape (3,)"},
		{"uniform(1.5)", 8, "a seed is an integer from 0"},
		{"integers(1, 5, 5)", 0, "no integer is from 5 up to below 5"},
		{"integers(1, 300, dtype=int8)", 0, "299: out of range"},
		{"integers(1, 3, dtype=float32)", 0, "expected an integer type"},
		{"sum(a, axis=2)", 12, "axis 2 is out of bounds"},
		{"sum(a, axis=(0, 0))", 12, "names an axis twice"},
		{"sum(a, axis=0.5)", 12, "expected an integer"},
		{"sum(a, axis=row)", 12, "expected an integer"},
		{"sum(a, where=row)", 13, "where takes bool elements, found float32"},
		{"sum(a, where=[True, False])", 13, "where of shape (2,) does not fit elements of shape (4, 6)"},
		{"max(a, where=a > 0)", 0, "needs initial"},
		{"sum(i, initial=1.5)", 0, "1.5 is no integer"},
		{"prod(int8(2) * i.astype(int8), dtype=int8, initial=200)", 0, "200: out of range"},
		{"sum(a, axis=1, initial=row)", 0, "a number, no array"},
		{"max(a[:0])", 0, "max of no elements"},
		{"argmax(a, axis=(0, 1))", 15, "takes one axis"},
		{"logsumexp(z)", 0, "logsumexp takes no complex64 elements"},
		{"norm(a, axis=(0, 0))", 13, "names an axis twice"},
		{"norm(a, axis=(1, -1))", 13, "names an axis twice"},
		{"norm(a, 2, axis=(0, -2))", 16, "names an axis twice"},
		{"norm(a, 'max')", 8, "is not there"},
		{"norm(a, 3)", 0, "order 3 of matrices is not there"},
		{"a[9]", 1, "index 9 is out of bounds for axis 0 with size 4"},
		{"a[[9]]", 1, "index 9 is out of bounds"},
		{"a[a]", 2, "float32 elements as an index"},
		{"a[0.5]", 2, "float64 elements as an index"},
		{"a[m]", 1, ""},
		{"a.reshape(5, -1)", 2, "24 elements, shape (4, 6), do not fill"},
		{"a[[1, [2]]]", 6, "of one length and depth"},
		{"[[1], 2]", 6, "a number beside a list"},
		{"[1, a]", 4, "a list holds numbers only"},
		{"(1, 2) + a", 0, "a tuple is an argument"},
		{"'x' + a", 0, "is text"},
		{"None + a", 0, "expected an operand, found None"},
		{"clip(a, 0, a > 1) + where(a, 1, 'x')", 32, "is text"},
		{"zeros(-1)", 6, "negative"},
		{"zeros((1 << 40, 1 << 40))", 6, ""},
		{"zeros((1 << 40, 1)) + zeros(1 << 40)", 20, ""},
		{"arange(0, 1, 0)", 0, "a step of 0"},
		{"arange(inf)", 0, "more than can be addressed"},
		{"random(-1)", 7, "a seed is an integer"},
		{"linspace(0, 1, -1)", 0, "expected 0 to"},
		{"bincount(i - 1)", 0, "bincount of -1: expected no negative elements"},
		{"bincount(i.astype(int8) - int8(7))", 0, "no negative elements"},
		{"bincount(i - 2**62 - 2**62)", 0, "no negative elements"},
		{"bincount(i.astype(uint64) + 2**63)", 0, "expected elements below 268435456"},
		{"bincount(i + 2**28)", 0, "expected elements below 268435456"},
		{"bincount(a)", 0, "takes bool or integer elements"},
		{"histogram(a, 0)", 13, "bins are from 1"},
		{"histogram(a, 3, (1, 0))", 16, "the lower one first"},
		{"diff(arange(100), 99)", 18, "n is from 0"},
		{"diff(1)", 0, "expected an array"},
		{"round(a, 1000)", 9, "decimals are from"},
		{"a[0] = 1", 7, `no tensor "a" to write it into`},
		{"c += 1", 5, `no tensor "c"`},
		{"a += 1j", 5, "complex64 elements are not stored as float32"},
		{"i += 0.5", 5, "float64 elements are not stored as int64; write .astype(int64)"},
		{"i /= 2", 5, "float64 elements are not stored as int64"},
		{"row += a", 7, "elements of shape (4, 6) do not fit shape (6,)"},
	} {
		t.Run(test.text, func(t *testing.T) {
			_, err := newBench(t).bound(t, test.text)
			var at *ExprError
			if !errors.As(err, &at) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want an *ExprError with %q", err, test.want)
			}
			if at.Pos != test.pos {
				t.Errorf("got position %d, want %d: %v", at.Pos, test.pos, err)
			}
		})
	}
	for name, test := range map[string]struct {
		e    Expr
		want string
	}{
		"zero":         {Expr{}, "an empty expression"},
		"of zero":      {Sqrt(Expr{}), "lacks its argument x"},
		"unknown":      {Call("sqr", Name("a")), "did you mean"},
		"too many":     {Call("sqrt", Name("a"), Name("b")), "no more than 1"},
		"scalar":       {Scalar("x"), "Go type string"},
		"no option":    {Reduction("ptp", Name("a"), ReduceOptions{DDof: 1}), `no argument "ddof"`},
		"no reduction": {Reduction("sqrt", Name("a"), ReduceOptions{}), "no reduction"},
		"astype":       {Name("a").AsType(dtype.Invalid), "no valid dtype"},
		"large number": {many.Mul(Scalar(1 << 40)).Pow(Scalar(100)), "more than 4096 bits"},
		"deep":         {deep, "more than 100000 levels"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newBench(t)
			_, err := NewPlan(context.Background(), []Statement{{Expr: test.e}}, w.env, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if text := test.e.String(); len(text) > 2<<20 {
				t.Errorf("a text of %d bytes", len(text))
			}
		})
	}
}
