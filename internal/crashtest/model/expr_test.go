package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// wheel bounds what expressions make: results are taken modulo this, so that each type can hold
// them.
const wheel = 1009

// expr is an expression over names.
type expr struct {
	Op string // "const": K; "copy": A; "add": A + K; "sub": A - B; "sum": A.sum() + B.sum()
	A  string `json:",omitempty"`
	B  string `json:",omitempty"`
	K  int64  `json:",omitempty"`
}

func (e expr) String() string {
	switch e.Op {
	case "const":
		return fmt.Sprint(e.K)
	case "copy":
		return "`" + e.A + "`"
	case "add":
		return fmt.Sprintf("(`%s` + %d) %% %d", e.A, e.K, wheel)
	case "sub":
		return fmt.Sprintf("(`%s` - `%s`) %% %d", e.A, e.B, wheel)
	}
	return fmt.Sprintf("(`%s`.sum() + `%s`.sum()) %% %d", e.A, e.B, wheel)
}

// names are those that the expression reads.
func (e expr) names() []string {
	var out []string
	for _, name := range []string{e.A, e.B} {
		if name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

var errShapes = errors.New("the shapes do not fit")

// eval computes the expression; look tells what names stand for.
func (e expr) eval(look func(name string) (value, error)) (value, error) {
	if e.Op == "const" {
		return value{dtype: "int64", elems: []int64{e.K}}, nil
	}
	a, err := look(e.A)
	if err != nil {
		return a, err
	}
	switch e.Op {
	case "copy":
		return a, nil
	case "add":
		return onWheel(a, func(x int64) int64 { return x + e.K }), nil
	}
	b, err := look(e.B)
	if err != nil {
		return b, err
	}
	if e.Op == "sum" {
		return onWheel(value{dtype: summed(a.dtype, b.dtype), elems: []int64{total(a) + total(b)}}, nil), nil
	}
	shape, err := broadcast(a.shape, b.shape)
	if err != nil {
		return a, err
	}
	x, y := a.to(shape), b.to(shape)
	out := value{dtype: promoted(a.dtype, b.dtype), shape: shape, elems: make([]int64, len(x.elems))}
	for i := range out.elems {
		out.elems[i] = x.elems[i] - y.elems[i]
	}
	return onWheel(out, nil), nil
}

// onWheel is an array after a change of each element, modulo the wheel.
func onWheel(v value, change func(int64) int64) value {
	out := value{dtype: v.dtype, shape: v.shape, elems: make([]int64, len(v.elems))}
	for i, x := range v.elems {
		if change != nil {
			x = change(x)
		}
		out.elems[i] = ((x % wheel) + wheel) % wheel
	}
	return out
}

func total(v value) (sum int64) {
	for _, x := range v.elems {
		sum += x
	}
	return sum
}

func promoted(a, b string) string {
	for _, dt := range []string{"float64", "int64"} {
		if a == dt || b == dt {
			return dt
		}
	}
	return "int32"
}

func summed(a, b string) string {
	if promoted(a, b) == "float64" {
		return "float64"
	}
	return "int64"
}

// broadcast is the shape in which two shapes meet.
func broadcast(a, b []int) ([]int, error) {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := slices.Clone(a)
	for i := range b {
		at := len(a) - len(b) + i
		switch {
		case b[i] == a[at] || b[i] == 1:
		case a[at] == 1:
			out[at] = b[i]
		default:
			return nil, errShapes
		}
	}
	return out, nil
}

// to repeats an array to a shape that it fits.
func (v value) to(shape []int) value {
	out := value{dtype: v.dtype, shape: shape, elems: make([]int64, count(shape))}
	index := make([]int, len(shape))
	for i := range out.elems {
		from, rest := 0, i
		for axis := len(shape) - 1; axis >= 0; axis-- {
			index[axis] = rest % max(shape[axis], 1)
			rest /= max(shape[axis], 1)
		}
		for axis, n := range v.shape {
			from *= n
			if n > 1 {
				from += index[len(shape)-len(v.shape)+axis]
			}
		}
		out.elems[i] = v.elems[from]
	}
	return out
}

// stmt is one statement of an evaluation.
type stmt struct {
	Target string
	Part   part   `json:",omitzero"`
	Op     string // "=", "+=", "-="
	Expr   expr
}

func (s stmt) String() string {
	return fmt.Sprintf("`%s`%s %s %s", s.Target, s.Part, s.Op, s.Expr)
}

// replaces tells whether the statement makes a tensor, or else changes elements of one.
func (s stmt) replaces() bool { return s.Op == "=" && s.Part.Kind == "" }

func program(stmts []stmt) string {
	var text []string
	for _, s := range stmts {
		text = append(text, s.String())
	}
	return strings.Join(text, "; ")
}
