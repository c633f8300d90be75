package compute

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute/internal/bind"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// A treeMaker makes random expressions out of everything there is.
type treeMaker struct {
	*rand.Rand
	t *testing.T
}

var treeNames = []string{"a", "b2", "_c", "weather/t2m", "e", "np", "größe", "with space", "True", "sum", "0x", "if"}

func (m *treeMaker) pick(texts ...string) string { return texts[m.IntN(len(texts))] }

func (m *treeMaker) tree(depth int) Expr {
	if depth == 0 || m.IntN(6) == 0 {
		return m.leaf()
	}
	switch m.IntN(8) {
	case 0:
		return m.tree(depth - 1).View(m.chain())
	case 1:
		return m.tree(depth - 1).AsType(dtype.All()[m.IntN(len(dtype.All()))])
	case 2:
		where := m.tree(depth - 1)
		o := ReduceOptions{Axes: [][]int{nil, {0}, {}, {1, -1}}[m.IntN(4)], KeepDims: m.IntN(2) == 0, DDof: float64(m.IntN(2))}
		if m.IntN(2) == 0 {
			o.Where = &where
		}
		return Reduction(m.pick("var", "std", "nanvar"), m.tree(depth-1), o)
	case 3:
		return Clip(m.tree(depth-1), Expr{}, m.tree(depth-1))
	case 4:
		return m.tree(depth - 1).Neg()
	}
	all := bind.Functions().All()
	fn := all[m.IntN(len(all))]
	args := make([]Expr, len(fn.Params))
	for i, p := range fn.Params {
		switch {
		case p.Name == "dtype":
			args[i] = Name(dtype.All()[m.IntN(len(dtype.All()))].String())
		case !p.Optional || m.IntN(2) == 0:
			args[i] = m.tree(depth - 1)
		}
	}
	return Call(fn.Name, args...)
}

func (m *treeMaker) leaf() Expr {
	switch m.IntN(9) {
	case 0:
		return Scalar(m.Int64() >> m.IntN(64))
	case 1:
		return Scalar(new(big.Int).Lsh(big.NewInt(-7), uint(m.IntN(200))))
	case 2:
		return Scalar([]float64{0, math.Copysign(0, -1), 1.5, -2e300, 5e-324, math.Inf(-1), math.NaN(), 1e16}[m.IntN(8)])
	case 3:
		return Scalar([]complex128{2i, 1 - 2i, complex(math.Inf(1), math.Inf(-1)), complex(0, -3), complex(-1, 0)}[m.IntN(5)])
	case 4:
		t := dtype.All()[m.IntN(len(dtype.All()))]
		return Typed(dtype.ScalarOf(complex(m.Float64()*100-50, m.Float64())).Convert(t))
	case 5:
		return Scalar(m.IntN(2) == 0)
	case 6:
		return Ints(m.IntN(9)-4, m.IntN(9))
	}
	return Name(treeNames[m.IntN(len(treeNames))])
}

// chain returns views as selectors have them.
func (m *treeMaker) chain() view.Chain {
	c, err := view.ParseMethods(m.pick("[::2]", ".T", "[0, ..., newaxis]", ".reshape(2, -1)[1:]", "[[1, 5]]", "[mask]", `["a b", ::-1]`,
		"[True, 0]", ".roll(1, 0)", ".astype(int8).real", ".view(int16)", "[[[0], [1]], 1:]", ".flip(0).squeeze()", "[weather/x, 0]", "[()]"))
	if err != nil {
		m.t.Fatal(err)
	}
	return c
}

// TestRoundTrip checks that the text of any expression is read as the same one.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	const seed = 1
	trees := 2_000
	if *Long {
		trees = 20_000
	}
	m := &treeMaker{Rand: rand.New(rand.NewPCG(seed, 0)), t: t}
	for i := range trees {
		e := m.tree(1 + i%5)
		text := e.String()
		again, err := Parse(text)
		if err != nil {
			t.Fatalf("seed %d, %d: %s: %v", seed, i, text, err)
		}
		if !again.Equal(e) {
			t.Fatalf("seed %d, %d: %s is read as %s", seed, i, text, again)
		}
	}
}

// TestViewsOfExpressions checks that a view of an expression has the elements of the view of its
// result.
func TestViewsOfExpressions(t *testing.T) {
	w := newBench(t)
	ctx := context.Background()
	for _, text := range []string{
		"a + 1", "a*b - row", "exp(col) + row", "a.T*2", "(a + row)[::-1]", "sum(a, axis=0)*row + a", "broadcast_to(col, (4, 6))*2",
		"where(m, a, b)", "a.astype(int16)", "arange(24).reshape(4, 6) + row", "cumsum(a, axis=1)", "(a > 5) | m", "col*row", "zeros((4, 6)) + col", "full((4, 6), 2)",
		"z*a", "a.reshape(6, 4).T + a.T.reshape(4, 6)", "random(3, (4, 6)) - a", "mean(a, axis=0, keepdims=True)*ones((4, 1))",
	} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := e.Eval(ctx, w.env, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, methods := range []string{
			"[0]", "[::2]", "[:, 1]", "[::-1, ::-2]", ".T", ".T[1:3]", "[..., newaxis]", "[1, 2]", ".reshape(3, 8)", ".reshape(-1)[5:9]", ".reshape(2, 2, 6)[:, 0]",
			".ravel()", ".diagonal()", ".flip(1)", ".unfold(1, 3, 2)", ".swapaxes(0, 1)[::2]", "[2:2]", ".squeeze()", ".broadcast_to(2, 4, 6)[1]", ".rot90()",
			"[[0, 2]]", "[:, [1, 1, 0]]", "[[True, False, True, True]]", ".roll(1, 0)", ".repeat(2, 0)", ".take([3, 1], 0)", ".tile(2)", ".T.reshape(4, 6)[1]",
		} {
			chain, err := view.ParseMethods(methods)
			if err != nil {
				t.Fatal(err)
			}
			want, wantErr := chain.Eval(t.Context(), whole, nil)
			got, err := e.View(chain).Eval(ctx, w.env, nil)
			if err != nil || wantErr != nil {
				if (err == nil) != (wantErr == nil) {
					t.Errorf("(%s)%s: got %v, want %v", text, methods, err, wantErr)
				}
				continue
			}
			same, err := view.Equal(t.Context(), got, want)
			if err != nil || !same || got.DType() != want.DType() {
				t.Errorf("(%s)%s: got %v, want %v, %v", text, methods, got, want, err)
			}
			got.Close()
			want.Close()
		}
		whole.Close()
	}
}
