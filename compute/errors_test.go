package compute_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute"
)

// TestErrorOfLazyName checks that an error in the text of a lazy name says where it is, in an
// expression that has a text of its own and in one that has none.
func TestErrorOfLazyName(t *testing.T) {
	lazy, err := compute.Parse("1 + missing")
	if err != nil {
		t.Fatal(err)
	}
	env := compute.Env{Expand: func(name string) (compute.Expr, bool, error) { return lazy, name == "z", nil }}
	parsed, err := compute.Parse("2*z")
	if err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		expr compute.Expr
		text string
		pos  int
	}{
		{parsed, "2*z", 2},
		{compute.Scalar(2).Mul(compute.Name("z")), "1 + missing", 4},
	} {
		_, err := test.expr.Eval(t.Context(), env, nil)
		placed, ok := errors.AsType[*compute.ExprError](err)
		if !ok || placed.Text != test.text || placed.Pos != test.pos {
			t.Errorf("%v: got %+v, want position %d of %q", err, placed, test.pos, test.text)
		}
		if err == nil || !strings.Contains(err.Error(), `no "missing"`) {
			t.Errorf("%v does not say what is missing", err)
		}
	}
}

// TestAssignOps checks that each operator is read as it is written.
func TestAssignOps(t *testing.T) {
	for op := compute.Set; op <= compute.SetMin; op++ {
		text := "a " + op.String() + " b"
		stmts, err := compute.ParseProgram(text)
		if err != nil || len(stmts) != 1 || stmts[0].Op != op || stmts[0].String() != text {
			t.Errorf("%s: got %v, %v", text, stmts, err)
		}
	}
	if got, want := (compute.SetMin + 1).String(), "AssignOp(7)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
