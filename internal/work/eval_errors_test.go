package work_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

// TestEvalErrors wants an error that says what, and nothing changed.
func TestEvalErrors(t *testing.T) {
	s := evalStore(t)
	adopted := create1D(t, s)
	if err := s.Define(t.Context(), "lazy", "x + 1", nil); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		text, want string
		is         error
		o          *tstore.EvalOptions
	}{
		"nothing":              {text: " ", want: ""},
		"syntax":               {text: "c = x +", want: "position"},
		"missing":              {text: "c = x + nosuch", want: `"nosuch"`, is: tstore.ErrNotFound},
		"missing target":       {text: "c[0] = 1", want: `"c"`, is: tstore.ErrNotFound},
		"missing target of +=": {text: "c += 1", want: `"c"`, is: tstore.ErrNotFound},
		"blob":                 {text: "c = note + 1", want: `"note" is a blob`, is: tstore.ErrWrongKind},
		"blob target":          {text: "note = x", want: `"note" is a blob`, is: tstore.ErrWrongKind},
		"lazy target":          {text: "lazy = x", want: `"lazy" stands for an expression`, is: tstore.ErrLazy},
		"lazy part":            {text: "lazy[0] = 1", want: `"lazy" stands for an expression`, is: tstore.ErrLazy},
		"bad name":             {text: "`a//b` = x", want: "", is: catalog.ErrBadName},
		"a group":              {text: "`x/y` = x", want: "", is: catalog.ErrConflict},
		"shapes":               {text: "c = x + large", want: "shape"},
		"second fails":         {text: "c = x; y = y + 1; x[0] = nosuch", want: `"nosuch"`, is: tstore.ErrNotFound},
		"too wide":             {text: "y = y + 1; y[0] = 1; x += large", want: ""},
		"kind":                 {text: "y += 1j", want: ""},
		"adopted":              {text: adopted + " += 1", want: "adopted", is: tstore.ErrReadOnly},
		"adopted, many":        {text: adopted + "[0] = 1; c = x", want: "adopted", is: tstore.ErrReadOnly},
		"mask":                 {text: "x[x > 1] = 0", want: ""},
		"in place, shape":      {text: "y = large", want: "", o: &tstore.EvalOptions{InPlace: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := s.Eval(t.Context(), test.text, test.o)
			if err == nil {
				t.Fatalf("%q: no error: %+v", test.text, r.Outputs)
			}
			if !strings.Contains(err.Error(), test.want) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("%q: got %v, want %q", test.text, err, test.want)
			}
			storetest.WantValues(t, s, "x", storetest.UpTo(6)...)
			storetest.WantValues(t, s, "y", 10, 11)
			if _, err := s.Lookup(t.Context(), "c"); !errors.Is(err, tstore.ErrNotFound) {
				t.Errorf("c is there: %v", err)
			}
		})
	}
	storetest.WantNoLeftovers(t, s)
}

// create1D adopts three elements and returns their name.
func create1D(t *testing.T, s *tstore.Store) string {
	t.Helper()
	path := t.TempDir() + "/f.raw"
	storetest.WriteFile(t, path, strings.Repeat("\x00", 24))
	err := s.Adopt(t.Context(), "adopted", tstore.Foreign{Path: path, Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{3}}})
	if err != nil {
		t.Fatal(err)
	}
	return "adopted"
}

func TestEvalReadOnly(t *testing.T) {
	s := evalStore(t)
	r, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if got := evalBare(t, r, "y + 1", nil); !slices.Equal(got, []float64{11, 12}) {
		t.Errorf("got %v", got)
	}
	for _, text := range []string{"c = y", "y += 1", "y[0] = 1"} {
		if _, err := r.Eval(t.Context(), text, nil); !errors.Is(err, tstore.ErrReadOnly) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}
