package work_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

// Elements of "x" in the tests of changes far apart: too many for the journal as a whole.
const scatteredRows, scatteredCols = 260, 512

// scatteredIndexes are 5,000 elements near each other, more than a patch has runs, and one far
// away.
func scatteredIndexes() []int64 {
	var at []int64
	for i := range int64(5000) {
		at = append(at, 12*i)
	}
	return append(at, scatteredRows*scatteredCols-1)
}

// TestScatteredChanges changes few elements far apart: in place, as one change.
func TestScatteredChanges(t *testing.T) {
	t.Parallel()
	const cols, last = scatteredCols, scatteredRows*scatteredCols - 1
	columns := func(v []float64, to func(old float64) float64) {
		for i := 3; i < len(v); i += cols {
			v[i] = to(v[i])
		}
	}
	seven := func(float64) float64 { return 7 }
	for name, tc := range map[string]struct {
		change func(t *testing.T, s *tstore.Store) error
		effect func(v []float64)
		large  bool // a new file is written
	}{
		"list":     {func(t *testing.T, s *tstore.Store) error { return setTo(t, s, "flat[[133119, 0]]", 5, 6) }, func(v []float64) { v[last], v[0] = 5, 6 }, false},
		"twice":    {func(t *testing.T, s *tstore.Store) error { return setTo(t, s, "flat[[-1, 0, -1]]", 5, 6, 7) }, func(v []float64) { v[last], v[0] = 7, 6 }, false},
		"0-d":      {filled("flat[zero]"), func(v []float64) { v[0] = 7 }, false},
		"rows":     {filled("x[[0, 259], 2:4]"), func(v []float64) { v[2], v[3], v[last-509], v[last-508] = 7, 7, 7, 7 }, false},
		"mask":     {filled("flat[mask]"), func(v []float64) { v[1], v[last] = 7, 7 }, false},
		"none":     {filled("flat[mask0]"), func([]float64) {}, false},
		"column":   {filled("x[:, 3]"), func(v []float64) { columns(v, seven) }, false},
		"backward": {filled("x[::-1, 3]"), func(v []float64) { columns(v, seven) }, false},
		"copied":   {func(t *testing.T, s *tstore.Store) error { return setTo(t, s, "x[:, 3]", 7) }, func(v []float64) { columns(v, seven) }, false},
		"+=": {evals("x[:, 3] += 10"), func(v []float64) {
			columns(v, func(old float64) float64 { return old + 10 })
		}, false},
		"picked +=": {evals("flat[[0, -1, 0]] += 10"), func(v []float64) { v[0] += 10; v[last] += 10 }, false},
		"near": {filled("flat[many]"), func(v []float64) {
			for _, i := range scatteredIndexes() {
				v[i] = 7
			}
		}, false},
		"too many": {filled("flat[::2]"), func(v []float64) {
			for i := 0; i < len(v); i += 2 {
				v[i] = 7
			}
		}, true},
		"too many places": {filled("flat[::20]"), func(v []float64) {
			for i := 0; i < len(v); i += 20 {
				v[i] = 7
			}
		}, true},
	} {
		for _, held := range []bool{false, true} {
			if held && name != "list" && name != "picked +=" {
				continue
			}
			t.Run(fmt.Sprintf("%s/held=%t", name, held), func(t *testing.T) {
				s := storetest.NewStore(t)
				storetest.Create(t, s, "x", storetest.Source(t, 0, scatteredRows, cols))
				storetest.Must(t, s.View(t.Context(), "flat", "x.reshape(-1)"))
				createMasks(t, s)
				if held {
					storetest.Snapshot(t, s, "monday")
				}
				before := storetest.Stat(t, s, "x").Storage
				storetest.Must(t, tc.change(t, s))

				want := storetest.UpTo(scatteredRows * cols)
				tc.effect(want)
				if got := storetest.Values(t, s, "flat"); !slices.Equal(got, want) {
					t.Error("the elements are not those expected")
				}
				after, changes := storetest.Stat(t, s, "x").Storage, uint64(1)
				if name == "none" {
					changes = 0
				}
				if after.Changes != before.Changes+changes {
					t.Errorf("%d changes became %d", before.Changes, after.Changes)
				}
				if rewritten := after.Gen != before.Gen; rewritten != (changes > 0 && (tc.large || held)) {
					t.Errorf("the file was replaced: %t", rewritten)
				}
				if held && !slices.Equal(storetest.Values(t, s, "flat@monday"), storetest.UpTo(scatteredRows*cols)) {
					t.Error("the snapshot has changed")
				}
			})
		}
	}
}

func filled(sel string) func(*testing.T, *tstore.Store) error {
	return func(t *testing.T, s *tstore.Store) error { return s.Fill(t.Context(), sel, storetest.Scalar(t, 7)) }
}

func evals(text string) func(*testing.T, *tstore.Store) error {
	return func(t *testing.T, s *tstore.Store) error { return storetest.Discard(s.Eval(t.Context(), text, nil)) }
}

// createMasks makes the tensors by which elements are picked.
func createMasks(t *testing.T, s *tstore.Store) {
	t.Helper()
	bits := make([]byte, scatteredRows*scatteredCols)
	sp := tstore.Spec{DType: dtype.Bool, Shape: []int{len(bits)}}
	storetest.Create(t, s, "mask0", tstore.FromBytes(sp, slices.Clone(bits)))
	bits[1], bits[len(bits)-1] = 1, 1
	storetest.Create(t, s, "mask", tstore.FromBytes(sp, bits))
	at := scatteredIndexes()
	list := make([]byte, 0, 8*len(at))
	for _, i := range at {
		list = appendInt64(list, i)
	}
	storetest.Create(t, s, "many", tstore.FromBytes(tstore.Spec{DType: dtype.Int64, Shape: []int{len(at)}}, list))
	storetest.Create(t, s, "zero", tstore.FromBytes(tstore.Spec{DType: dtype.Int64}, make([]byte, 8)))
}

func appendInt64(b []byte, v int64) []byte {
	var e [8]byte
	dtype.ScalarOf(v).Store(e[:])
	return append(b, e[:]...)
}

// TestScatteredErrors: what fails changes nothing.
func TestScatteredErrors(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, scatteredRows*scatteredCols))
	var outside *view.IndexError
	if err := s.Fill(t.Context(), "x[[0, 133120]]", storetest.Scalar(t, 7)); !errors.As(err, &outside) {
		t.Errorf("an index outside: %v", err)
	}
	var shape *view.ShapeError
	if err := setTo(t, s, "x[[0, -1]]", 1, 2, 3); !errors.As(err, &shape) {
		t.Errorf("another shape: %v", err)
	}
	if err := setTo(t, s, "x[::100000]", 1, 2, 3); !errors.As(err, &shape) {
		t.Errorf("another shape: %v", err)
	}
	if st := storetest.Stat(t, s, "x").Storage; st.State != catalog.Clean || st.Changes != 0 {
		t.Errorf("the storage is %v and counts %d changes", st.State, st.Changes)
	}
	storetest.WantValues(t, s, "x[::133119]", 0, scatteredRows*scatteredCols-1)
}

// TestScatteredOutputs: a change that goes by a new file, as a snapshot has the old one, is told
// once.
func TestScatteredOutputs(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 10))
	storetest.Snapshot(t, s, "monday")
	r, err := s.Eval(t.Context(), "x[[1, 2]] = 7", nil)
	storetest.Must(t, err)
	defer r.Close()
	if len(r.Outputs) != 1 {
		t.Errorf("%d outputs: %+v", len(r.Outputs), r.Outputs)
	}
}

// TestInterruptedRuns finishes a patch of several runs that a dead writer left.
func TestInterruptedRuns(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 20))
	nine := make([]byte, 8)
	dtype.ScalarOf(9.0).Store(nine)
	for range 2 {
		storetest.Must(t, storetest.PutPatch(t.Context(), s, "x", catalog.Patch{Offset: 8, Bytes: nine, More: []catalog.Run{{Offset: 32, Bytes: nine}, {Offset: 152, Bytes: nine}}}))
		storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Patching, "nobody" }))
		want := storetest.UpTo(20)
		want[1], want[4], want[19] = 9, 9, 9
		storetest.WantValues(t, s, "x", want...)
	}
	storetest.Must(t, storetest.PutPatch(t.Context(), s, "x", catalog.Patch{Offset: 16, Bytes: nine, More: []catalog.Run{{Offset: 153, Bytes: nine}}}))
	storetest.Must(t, storetest.EditStorage(t.Context(), s, "x", func(st *catalog.Storage) { st.State, st.Writer = catalog.Patching, "nobody" }))
	if _, err := s.Get(t.Context(), "x"); !errors.Is(err, tstore.ErrCorrupt) {
		t.Errorf("a patch beyond the payload: %v", err)
	}
	storetest.Must(t, s.Delete(t.Context(), "x"))
}

// TestPicksOfNothing picks elements of tensors without any.
func TestPicksOfNothing(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "none", storetest.Source(t, 0, 0))
	storetest.Create(t, s, "rows", storetest.Source(t, 0, 0, 3))
	storetest.Create(t, s, "x", storetest.Source(t, 0, 4))
	var outside *view.IndexError
	for _, sel := range []string{"none[[1, 2]]", "none[[0]]", "rows[[0]]", "rows[:, [3]]", "x[4:][[0]]"} {
		if err := s.Fill(t.Context(), sel, storetest.Scalar(t, 7)); !errors.As(err, &outside) {
			t.Errorf("fill %s: %v", sel, err)
		}
		if err := storetest.Discard(s.Eval(t.Context(), sel+" += 7", nil)); !errors.As(err, &outside) {
			t.Errorf("eval %s: %v", sel, err)
		}
	}
	for _, sel := range []string{"none[[]]", "rows[:, [2]]", "x[4:][[]]"} {
		storetest.Must(t, s.Fill(t.Context(), sel, storetest.Scalar(t, 7)))
	}
	var shape *view.ShapeError
	for _, sel := range []string{"none", "x[4:]", "rows[:, 1]"} {
		if err := setTo(t, s, sel, 1, 2); !errors.As(err, &shape) {
			t.Errorf("set %s to two elements: %v", sel, err)
		}
		storetest.Must(t, setTo(t, s, sel, 1))
	}
	for _, name := range []string{"none", "rows", "x"} {
		if n := storetest.Stat(t, s, name).Storage.Changes; n != 0 {
			t.Errorf("%s counts %d changes", name, n)
		}
	}
}

// TestPowerCutScattered cuts the power while elements far apart are changed: all of them are, or
// none.
func TestPowerCutScattered(t *testing.T) {
	t.Parallel()
	const n = 1<<17 + 8
	nine := storetest.UpTo(n)
	nine[0], nine[1000], nine[n-1] = 9, 9, 9
	eight := slices.Clone(nine)
	eight[4], eight[n-2] = 8, 8
	put := func(v []float64) func(storetest.State) { return func(s storetest.State) { s["x"] = v } }
	fill := func(sel string, v float64) func(context.Context, *tstore.Store) error {
		return func(ctx context.Context, s *tstore.Store) error { return s.Fill(ctx, sel, storetest.Scalar(t, v)) }
	}
	steps := []storetest.PowerStep{
		{Name: "create", Do: func(ctx context.Context, s *tstore.Store) error { return s.Create(ctx, "x", storetest.Source(t, 0, n)) }, Effect: put(storetest.UpTo(n)), InPlace: ""},
		{Name: "nines", Do: fill("x[[0, 1000, -1]]", 9), Effect: put(nine), InPlace: ""},
		{Name: "eights", Do: fill("x[4::131074]", 8), Effect: put(eight), InPlace: ""},
	}
	log, states := storetest.RecordPower(t, steps)
	images, wrong := storetest.CutPower(t, log, steps, states, 150/storetest.Every(5))
	if wrong != nil {
		t.Error(wrong)
	}
	if images == 0 {
		t.Error("nothing was looked at")
	}
}
