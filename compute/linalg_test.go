package compute_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// TestLinearAlgebra evaluates texts that are true of any decomposition.
func TestLinearAlgebra(t *testing.T) {
	operands := map[string]*view.Tensor{
		"a": randomMatrix(t, 1, dtype.Float64, 7, 7), "b": randomMatrix(t, 2, dtype.Float64, 7, 3), "v": randomMatrix(t, 3, dtype.Float64, 7),
		"tall": randomMatrix(t, 4, dtype.Float64, 9, 4), "wide": randomMatrix(t, 5, dtype.Float64, 4, 9),
		"batch": randomMatrix(t, 6, dtype.Float64, 2, 3, 5, 5), "right": randomMatrix(t, 7, dtype.Float64, 3, 5, 2), "f": randomMatrix(t, 8, dtype.Float32, 6, 6),
		"none": randomMatrix(t, 9, dtype.Float64, 0, 0),
	}
	for _, text := range []string{
		"max(abs(a @ solve(a, b) - b)) < 1e-9",
		"max(abs(a.T @ solve(a.T, v) - v)) < 1e-9",
		"max(abs(batch @ solve(batch, right) - right)) < 1e-8",
		"max(abs(inv(a) @ a - where(arange(7)[:, newaxis] == arange(7), 1, 0))) < 1e-9",
		"max(abs(f @ inv(f) - where(arange(6)[:, newaxis] == arange(6), 1, 0))) < 1e-3",
		"abs(det(a @ a) - det(a)**2) < 1e-9",
		"max(abs(det(batch) - prod(qr(batch).R.diagonal(0, -2, -1), axis=-1) * det(qr(batch).Q))) < 1e-9",
		"l = cholesky(a @ a.T + 1e-3); max(abs(l @ l.T - a @ a.T - 1e-3)) < 1e-9",
		"q, r = qr(tall); max(abs(q @ r - tall)) < 1e-12",
		"q, r = qr(wide); max(abs(q @ r - wide)) < 1e-12",
		"u, s, vh = svd(tall, full_matrices=False); max(abs(u * s @ vh - tall)) < 1e-12",
		"u, s, vh = svd(wide); max(abs(u * s @ vh[:4] - wide)) < 1e-12",
		"max(abs(svd(wide).S - svdvals(wide))) < 1e-12",
		"norm(wide, 2) == svdvals(wide)[0]", "norm(wide, -2) == svdvals(wide)[3]", "abs(norm(wide, 'nuc') - sum(svdvals(wide))) < 1e-12",
		"max(abs(norm(batch, 2, axis=(0, 3)) - svdvals(batch.permute(1, 2, 0, 3))[..., 0])) < 1e-12",
		"max(abs(norm(batch, 'nuc', axis=(2, -4), keepdims=True)[0, :, 0] - sum(svdvals(batch.permute(1, 3, 0, 2)), axis=-1))) < 1e-12",
		"w, v = eigh(a + a.T); max(abs((a + a.T) @ v - v * w)) < 1e-10",
		"max(abs(eigh(a + a.T).eigenvalues - eigvalsh(a + a.T))) < 1e-10",
		"max(abs(tall.T @ (tall @ lstsq(tall, ones(9)) - 1))) < 1e-10",
		"max(abs(a @ lstsq(a, b) - b)) < 1e-9",
		"det(none) == 1", "sum(inv(none)) == 0", "sum(svdvals(none)) == 0",
		"abs(det([[1, 2], [3, 4]]) + 2) < 1e-12",
	} {
		got, err := evaluate(t.Context(), text, operands, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if slices.Contains(got.elements, 0) {
			t.Errorf("%s is false", text)
		}
	}
}

// TestLinearAlgebraForms checks types and shapes, and that texts are printed as they are read.
func TestLinearAlgebraForms(t *testing.T) {
	operands := map[string]*view.Tensor{"f": randomMatrix(t, 8, dtype.Float32, 2, 6, 4), "g": randomMatrix(t, 8, dtype.Int32, 3, 3)}
	for _, test := range []struct {
		text  string
		dtype dtype.Type
		shape []int
	}{
		{"qr(f).Q", dtype.Float32, []int{2, 6, 4}},
		{"qr(f).R", dtype.Float32, []int{2, 4, 4}},
		{"svd(f).U", dtype.Float32, []int{2, 6, 6}},
		{"svd(f, False).U", dtype.Float32, []int{2, 6, 4}},
		{"svd(f).Vh.T", dtype.Float32, []int{4, 4, 2}},
		{"svdvals(f)", dtype.Float32, []int{2, 4}},
		{"norm(f, 2, (2, 0))", dtype.Float32, []int{6}},
		{"norm(f, \"nuc\", (0, 1), True)", dtype.Float32, []int{1, 1, 4}},
		{"det(g + 0.5)", dtype.Float64, []int{}},
		{"eigh(g).eigenvectors", dtype.Float64, []int{3, 3}},
	} {
		e, err := compute.Parse(test.text)
		if err != nil {
			t.Fatal(err)
		}
		if e.String() != test.text {
			t.Errorf("%s is printed as %s", test.text, e)
		}
		got, err := evaluate(t.Context(), test.text, operands, nil)
		if err != nil || got.dtype != test.dtype || !slices.Equal(got.shape, test.shape) {
			t.Errorf("%s: got %v %v, %v; want %v %v", test.text, got.dtype, got.shape, err, test.dtype, test.shape)
		}
	}
}

func TestLinearAlgebraResult(t *testing.T) {
	a := compute.Name("a")
	if got := compute.Call("qr", a).Result("R").String(); got != "qr(a).R" {
		t.Errorf("got %s", got)
	}
	if _, err := a.Result("R").Eval(t.Context(), compute.Env{}, nil); err == nil || !strings.Contains(err.Error(), `a has no result "R"`) {
		t.Errorf("got %v", err)
	}
}

func TestLinearAlgebraErrors(t *testing.T) {
	operands := map[string]*view.Tensor{"a": randomMatrix(t, 1, dtype.Float64, 3, 4), "s": randomMatrix(t, 1, dtype.Float64, 4, 4), "c": randomMatrix(t, 1, dtype.Complex64, 3, 3)}
	for text, want := range map[string]string{
		"inv(a)":                      "expected square matrices, found 3 rows and 4 columns",
		"inv(a[0])":                   "expected at least two axes",
		"inv(c)":                      "takes float32, float64, integer or bool elements",
		"solve(s, a)":                 "expected b with as many rows as a, 4",
		"solve(s, 3)":                 "expected b with as many rows as a, 4",
		"qr(a)":                       "pick one, as in qr(…).Q, or name all, as in q, r = qr(…)",
		"q, r, t = qr(a)":             "qr makes 2 arrays, found 3 names",
		"q, r = sum(a)":               "expected a function that makes as many arrays",
		"inv(s*0)":                    "singular",
		"solve(s*0, s)":               "singular",
		"cholesky(-abs(s))":           "not positive definite",
		"svd(s/0).S":                  "infinite or NaN",
		"eigvalsh(s*nan)":             "infinite or NaN",
		"qr(a).X":                     "attribute",
		"qr(a).Q.R":                   "attribute",
		"svd(a, full_matrices=3.5).U": "True or False",
		"norm(c, 2)":                  "norm takes float32, float64, integer or bool elements",
		"norm(a[:0], -2)":             "norm of no elements",
		"norm(a[0], 'nuc')":           "2 axes",
	} {
		if _, err := evaluate(t.Context(), text, operands, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if _, err := evaluate(t.Context(), "inv(s*0)", operands, nil); !errors.Is(err, compute.ErrSingular) {
		t.Errorf("got %v, want %v", err, compute.ErrSingular)
	}
	small := &compute.Options{MemoryLimit: 100}
	if _, err := evaluate(t.Context(), "inv(s)", operands, small); err == nil || !strings.Contains(err.Error(), "works in memory and takes") {
		t.Errorf("with little memory: %v", err)
	}
}
