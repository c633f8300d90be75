package devicecheck

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// randomShape returns a shape of some axes and at most most elements.
func randomShape(r *rand.Rand, axes, most int) (shape []int) {
	left := 1 + r.IntN(most)
	for axis := range axes {
		n := 1 + r.IntN(min(left, 300))
		if axis == axes-1 && r.IntN(2) == 0 {
			n = left
		}
		shape = append(shape, n)
		left = max(left/n, 1)
	}
	r.Shuffle(axes, func(i, j int) { shape[i], shape[j] = shape[j], shape[i] })
	return shape
}

// randomElementwise returns an expression of tensors that lie in several ways.
func randomElementwise(r *rand.Rand, most int) (*expression, error) {
	e := &expression{tensors: map[string]*view.Tensor{}}
	t := programTypes[r.IntN(len(programTypes))]
	shape := randomShape(r, 2+r.IntN(3), most)
	row := slices.Clone(shape)
	for axis := range len(row) - 1 {
		row[axis] = 1
	}
	column := slices.Clone(shape)
	column[len(column)-1] = 1
	texts := []string{
		"a + b", "a.T*b.T", "a*row + b", "column*a - b", "row*column", "a[::-1] + b", "a[..., ::2]*b[..., ::2]", "where(m, a, row)", "a*2 + 1",
		"a.astype(float32)*b", "a == b", "a.T*b.T + column.T", "(a + b).astype(int16)", "a*b + a*row - column",
	}
	e.text = texts[r.IntN(len(texts))]
	if t == dtype.Bool {
		e.text = []string{"a & b", "a.T | b.T", "a ^ row", "where(m, a, column)"}[r.IntN(4)]
	}
	return e, errors.Join(e.add(r, "a", t, shape...), e.add(r, "b", t, shape...), e.add(r, "m", dtype.Bool, shape...),
		e.add(r, "row", t, row...), e.add(r, "column", t, column...))
}

// randomReduction returns a reduction of an expression over some axes.
func randomReduction(r *rand.Rand, most int) (*expression, error) {
	e := &expression{tensors: map[string]*view.Tensor{}}
	t := programTypes[r.IntN(len(programTypes))]
	shape := randomShape(r, 1+r.IntN(4), most)
	if err := errors.Join(e.add(r, "a", t, shape...), e.add(r, "b", t, shape...), e.add(r, "m", dtype.Bool, shape...)); err != nil {
		return nil, err
	}
	names := []string{"sum", "mean", "prod", "min", "max", "any", "all", "count_nonzero", "sum", "sum"}
	if t.Kind() == dtype.KindComplex {
		names = []string{"sum", "mean", "prod", "any"}
	}
	texts := []string{"a", "a*b", "a + b", "a*a", "a.T*b.T", "a[::-1]", "where(m, a, b)"}
	e.text = names[r.IntN(len(names))] + "(" + texts[r.IntN(len(texts))]
	if r.IntN(3) > 0 {
		e.text += fmt.Sprintf(", axis=%d", r.IntN(len(shape)))
	}
	e.text += ")"
	return e, nil
}

// randomProduct returns a product of matrices.
func randomProduct(r *rand.Rand, most int) (*expression, error) {
	e := &expression{tensors: map[string]*view.Tensor{}}
	t := programTypes[r.IntN(len(programTypes))]
	edge := 1
	for edge*edge < most {
		edge++
	}
	m, n, k := 1+r.IntN(edge), 1+r.IntN(edge), 1+r.IntN(edge)
	switch r.IntN(4) {
	case 0:
		e.text = "a.T @ b"
		return e, errors.Join(e.add(r, "a", t, k, m), e.add(r, "b", t, k, n))
	case 1:
		e.text = "a @ b.T"
		return e, errors.Join(e.add(r, "a", t, m, k), e.add(r, "b", t, n, k))
	case 2:
		e.text = "a @ b"
		m, n, k = m/3+1, n/3+1, k/3+1
		return e, errors.Join(e.add(r, "a", t, 3, m, k), e.add(r, "b", t, k, n))
	}
	e.text = "a @ b"
	return e, errors.Join(e.add(r, "a", t, m, k), e.add(r, "b", t, k, n))
}
