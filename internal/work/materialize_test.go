package work_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

func TestMaterialize(t *testing.T) {
	s := evalStore(t)
	if err := s.Define(t.Context(), "a", "x + 1", &tstore.DefineOptions{Dims: []string{"r", "c"}, Attrs: map[string]catalog.Value{"n": catalog.IntValue(1)}}); err != nil {
		t.Fatal(err)
	}
	storetest.Define(t, s, "b", "a * y")
	materialize := func(name string) {
		t.Helper()
		if err := s.Materialize(t.Context(), name, nil); err != nil {
			t.Fatal(err)
		}
	}
	formula := func(name string) *tstore.Formula {
		t.Helper()
		f, err := s.Formula(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	states := func(f *tstore.Formula) string {
		text := ""
		for _, in := range f.Inputs {
			text += in.Name + " " + string(in.State) + " "
		}
		return text
	}
	materialize("b")
	storetest.WantValues(t, s, "b", 10, 22, 30, 44, 50, 66)
	if f := formula("b"); f.Text != "a * y" || f.Stale || states(f) != "a same x same y same " {
		t.Errorf("fresh: %+v", f)
	}
	storetest.Eval(t, s, "x[0] = 1", nil)
	if f := formula("b"); !f.Stale || f.Edited || states(f) != "a same x changed y same " {
		t.Errorf("x changed: %+v", f)
	}
	storetest.WantValues(t, s, "b[0]", 10, 22)
	materialize("b")
	storetest.WantValues(t, s, "b[0]", 20, 22)
	if f := formula("b"); f.Stale {
		t.Errorf("again: %+v", f)
	}

	materialize("a")
	e, err := s.Lookup(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := e.Record.Attrs["n"].Int(); err != nil || n != 1 || e.Record.Kind != catalog.KindTensor || !slices.Equal(e.Record.Dims, []string{"r", "c"}) {
		t.Errorf("a: %+v", e.Record)
	}
	materialize("b") // reads the tensor a now
	storetest.Eval(t, s, "x[0] = 2", nil)
	if f := formula("b"); !f.Stale || states(f) != "a stale y same " {
		t.Errorf("through a: %+v", f)
	}

	// Elements that others write are not the expression's.
	if err := s.Fill(t.Context(), "b[0]", dtype.ScalarOf(0.0)); err != nil {
		t.Fatal(err)
	}
	if f := formula("b"); f != nil {
		t.Errorf("after fill: %+v", f)
	}
	if err := s.View(t.Context(), "part", "a[0]"); err != nil {
		t.Fatal(err)
	}
	if err := s.Fill(t.Context(), "part", dtype.ScalarOf(0.0)); err != nil {
		t.Fatal(err)
	}
	if f := formula("a"); f == nil || !f.Edited || !f.Stale {
		t.Errorf("after fill of a view: %+v", f)
	}
	if err := s.SetAttr(t.Context(), "a", "k", catalog.IntValue(1)); err != nil {
		t.Fatal(err)
	}
	if f := formula("a"); f == nil {
		t.Error("an attribute took the expression away")
	}
	for _, name := range []string{"x", "b", "note"} {
		if err := s.Materialize(t.Context(), name, nil); !errors.Is(err, tstore.ErrWrongKind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := s.Materialize(t.Context(), "nosuch", nil); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("nosuch: %v", err)
	}
}

// TestMaterializeConflict redefines the name while it is computed.
func TestMaterializeConflict(t *testing.T) {
	s := evalStore(t)
	storetest.Define(t, s, "a", "large + 1")
	once := false
	o := &tstore.EvalOptions{Compute: compute.Options{Progress: func(compute.Progress) {
		if !once {
			once = true
			if err := s.Define(t.Context(), "a", "large + 2", &tstore.DefineOptions{Replace: true}); err != nil {
				t.Error(err)
			}
		}
	}}}
	if err := s.Materialize(t.Context(), "a", o); !errors.Is(err, tstore.ErrConflict) {
		t.Errorf("got %v", err)
	}
	wantEvaluated(t, s, "a[0]", 2)
	storetest.WantNoLeftovers(t, s)
}

// TestDefineMaterialized checks names that are tensors from the start.
func TestDefineMaterialized(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 2, 3))
	o := &tstore.DefineOptions{Materialize: true, Dims: []string{"r", "c"}, Attrs: map[string]catalog.Value{"n": catalog.IntValue(1)}}
	if err := s.Define(t.Context(), "a", "x + 1", o); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "a", 1, 2, 3, 4, 5, 6)
	e, err := s.Lookup(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	rec := e.Record
	if n, err := rec.Attrs["n"].Int(); err != nil || n != 1 || rec.Kind != catalog.KindTensor || rec.Version != 1 || rec.Formula.Text != "x + 1" || !slices.Equal(rec.Dims, o.Dims) {
		t.Errorf("%+v", rec)
	}
	if f, err := s.Formula(t.Context(), "a"); err != nil || f.Stale || len(f.Inputs) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
	if err := s.Define(t.Context(), "a", "x", o); !errors.Is(err, tstore.ErrExists) {
		t.Errorf("a again: %v", err)
	}
	o.Replace = true
	if err := s.Define(t.Context(), "a", "x", o); !errors.Is(err, tstore.ErrWrongKind) {
		t.Errorf("in the place of a tensor: %v", err)
	}
	storetest.Define(t, s, "lazy", "x * 2")
	if err := s.Define(t.Context(), "lazy", "x * 3", &tstore.DefineOptions{Materialize: true, Replace: true}); err != nil {
		t.Fatal(err)
	}
	storetest.WantValues(t, s, "lazy", 0, 3, 6, 9, 12, 15)
	if err := s.Define(t.Context(), "lost", "nothing + 1", o); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("of a missing name: %v", err)
	}
}

// TestStaleness looks for changes far back, through inputs that are used again and again, and for
// inputs that are another tensor of the same name.
func TestStaleness(t *testing.T) {
	materialized := &tstore.DefineOptions{Materialize: true}
	stale := func(s *tstore.Store, name string) bool {
		f, err := s.Formula(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return f.Stale
	}
	make := func(s *tstore.Store, name, text string) {
		if err := s.Define(t.Context(), name, text, materialized); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("deep", func(t *testing.T) {
		s := evalStore(t)
		make(s, "m0", "y + 0")
		make(s, "n0", "y - 0")
		last := ""
		for i := range 24 {
			m, n := fmt.Sprintf("m%d", i), fmt.Sprintf("n%d", i)
			last = fmt.Sprintf("m%d", i+1)
			make(s, last, m+" + "+n)
			make(s, fmt.Sprintf("n%d", i+1), m+" - "+n)
		}
		if stale(s, last) {
			t.Error("nothing has changed")
		}
		storetest.Eval(t, s, "y += 1", nil)
		if !stale(s, last) {
			t.Error("a change far back is not seen")
		}
	})
	t.Run("another view", func(t *testing.T) {
		s := evalStore(t)
		make(s, "m", "v*10")
		if err := errors.Join(s.Delete(t.Context(), "v"), s.View(t.Context(), "v", "x[1:]")); err != nil {
			t.Fatal(err)
		}
		if !stale(s, "m") {
			t.Error("another view of the same storage is not seen")
		}
	})
	t.Run("another definition", func(t *testing.T) {
		s := evalStore(t)
		storetest.Define(t, s, "lazy", "x + 1")
		make(s, "m", "lazy*1")
		if err := s.Delete(t.Context(), "lazy"); err != nil {
			t.Fatal(err)
		}
		storetest.Define(t, s, "lazy", "x + 2")
		if !stale(s, "m") {
			t.Error("another definition is not seen")
		}
	})
}
