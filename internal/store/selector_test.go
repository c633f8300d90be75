package store_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func TestParseSelector(t *testing.T) {
	for text, want := range map[string]string{
		"x":                          "x",
		"group/x[1:, ::-2]":          "group/x[1:, ::-2]",
		"x[ 0 ][...]":                "x[0][...]",
		"x.T.reshape( 4,-1 )":        "x.T.reshape(4, -1)",
		"model.layer.weight":         "model.layer.weight",
		"model.layer.weight.T[0]":    "model.layer.weight.T[0]",
		"x.transpose(2, 0, 1)[::-1]": "x.transpose(2, 0, 1)[::-1]",
	} {
		sel, err := tstore.ParseSelector(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if sel.String() != want {
			t.Errorf("%q: read as %q, want %q", text, sel, want)
		}
		if again, err := tstore.ParseSelector(sel.String()); err != nil || again.String() != sel.String() {
			t.Errorf("%q: is read back as %q, %v", sel, again, err)
		}
	}
	for _, text := range []string{"", "[0]", ".T", "x[", "x[0", "x[0]]", "x[0]y", "x.reshape(", "x.frob()", "x.T.frob()", "../x", "x[0].", "a\x00b[0]"} {
		if sel, err := tstore.ParseSelector(text); err == nil {
			t.Errorf("%q was read as %q", text, sel)
		}
	}
}

func FuzzParseSelector(f *testing.F) {
	for _, text := range []string{"x", "a/b[1:2, ::-1]", "x.T[0].reshape(2, -1)", "x[[1, 2]]", "x[mask]", "x.view(int16)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sel, err := tstore.ParseSelector(text)
		if err != nil {
			return
		}
		again, err := tstore.ParseSelector(sel.String())
		if err != nil || again.String() != sel.String() {
			t.Errorf("%q: %q is read back as %q, %v", text, sel, again, err)
		}
	})
}

func TestNamesThatLookLikeMethods(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 2, 2))
	storetest.Create(t, s, "x.T", storetest.Source(t, 10, 2, 2))
	storetest.Create(t, s, "net.real.weight", storetest.Source(t, 20, 2))
	storetest.WantValues(t, s, "x", 0, 1, 2, 3)
	storetest.WantValues(t, s, "x.T", 10, 11, 12, 13)
	storetest.WantValues(t, s, "x.T.T", 10, 12, 11, 13)
	storetest.WantValues(t, s, "x.T[0]", 10, 11)
	storetest.WantValues(t, s, "x.mT", 0, 2, 1, 3)
	storetest.WantValues(t, s, "net.real.weight[1]", 21)
	storetest.Must(t, s.View(t.Context(), "v", "x.T.T[0]"))
	storetest.WantValues(t, s, "v", 10, 12)
	storetest.Must(t, s.Delete(t.Context(), "x.T"))
	storetest.WantValues(t, s, "x.T", 0, 2, 1, 3)
}

// TestLongSelectors reads texts that are as long as an attacker likes.
func TestLongSelectors(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 2, 2))
	storetest.WantValues(t, s, "x"+strings.Repeat(".T", 60), 0, 1, 2, 3)
	const limit, tries = 5 * time.Second, 3
	took := time.Hour
	for try := 0; try < tries && took > limit; try++ {
		start := time.Now()
		for _, text := range []string{"x" + strings.Repeat(".T", 100_000), "x" + strings.Repeat("[...]", 100_000), strings.Repeat("x.", 100_000)} {
			if x, err := s.Get(t.Context(), text); err == nil {
				storetest.Must(t, x.Close())
			}
		}
		took = min(took, time.Since(start))
	}
	if took > limit {
		t.Errorf("long selectors took %v at best", took)
	}
}

func TestSelectorsWithMethods(t *testing.T) {
	s := storetest.NewStore(t)
	src := storetest.Source(t, 0, 2, 3)
	src.Dims = []string{"lat", "lon"}
	storetest.Create(t, s, "x", src)
	tests := []struct {
		sel  string
		want []float64
		dims []string
	}{
		{"x.T", []float64{0, 3, 1, 4, 2, 5}, []string{"lon", "lat"}},
		{"x.T[1]", []float64{1, 4}, []string{"lat"}},
		{"x.reshape(3, -1)", storetest.UpTo(6), nil},
		{"x.flip(1)", []float64{2, 1, 0, 5, 4, 3}, []string{"lat", "lon"}},
		{"x.diagonal()", []float64{0, 4}, []string{""}},
		{"x.unsqueeze(0)[0, ..., ::2]", []float64{0, 2, 3, 5}, []string{"lat", "lon"}},
		{"x.broadcast_to(2, 2, 3)[1]", storetest.UpTo(6), []string{"lat", "lon"}},
	}
	for _, tt := range tests {
		storetest.WantValues(t, s, tt.sel, tt.want...)
		info, err := s.Stat(t.Context(), tt.sel)
		storetest.Must(t, err)
		if diff := cmp.Diff(tt.dims, info.Dims()); diff != "" {
			t.Errorf("%s: axis names (-want +got):\n%s", tt.sel, diff)
		}
		storetest.Must(t, s.View(t.Context(), "v", tt.sel))
		storetest.WantValues(t, s, "v", tt.want...)
		storetest.Must(t, s.Delete(t.Context(), "v"))
	}
}

func TestPartsOfAnotherType(t *testing.T) {
	s := storetest.NewStore(t)
	z, err := tstore.FromSlice([]complex128{1 + 2i, 3 + 4i}, 2)
	storetest.Must(t, err)
	storetest.Create(t, s, "z", z)
	storetest.WantValues(t, s, "z.imag", 2, 4)
	storetest.Must(t, s.Fill(t.Context(), "z.imag[1]", dtype.ScalarOf(-1.0)))
	storetest.WantValues(t, s, "z.imag", 2, -1)
	storetest.WantValues(t, s, "z.real", 1, 3)
	storetest.Must(t, s.View(t.Context(), "parts", "z.view(float64)"))
	storetest.WantValues(t, s, "parts", 1, 2, 3, -1)
	storetest.WantSound(t, s.Dir())
}

func TestSetThroughMethods(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 2, 3))
	storetest.Must(t, s.Fill(t.Context(), "x.T[1]", dtype.ScalarOf(9.0)))
	storetest.WantValues(t, s, "x", 0, 9, 2, 3, 9, 5)
	w, err := s.OpenWritable(t.Context(), "x.flip(0)[0]")
	storetest.Must(t, err)
	storetest.Must(t, w.Set(dtype.ScalarOf(7.0), 0))
	storetest.Must(t, w.Close())
	storetest.WantValues(t, s, "x", 0, 9, 2, 7, 9, 5)
	if err := s.Fill(t.Context(), "x[0].broadcast_to(4, 3)", dtype.ScalarOf(1.0)); err == nil {
		t.Error("elements that stand for several were filled")
	}
}

func TestEvaluate(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 3, 2))
	mask, err := tstore.FromSlice([]bool{true, false, true}, 3)
	storetest.Must(t, err)
	storetest.Create(t, s, "mask", mask)
	tests := []struct {
		sel  string
		want []float64
	}{
		{"x[[2, 0]]", []float64{4, 5, 0, 1}},
		{"x[mask]", []float64{0, 1, 4, 5}},
		{"x[mask].T.reshape(-1)", []float64{0, 4, 1, 5}},
		{"x[mask.T]", []float64{0, 1, 4, 5}},
		{"x[:, [1]][0]", []float64{1}},
		{"x.astype(int8)[1]", []float64{2, 3}},
		{"x[1:]", []float64{2, 3, 4, 5}},
		{"x.T.copy().view(float32)[0, 1]", []float64{0}},
		{"x.T.copy()[1]", []float64{1, 3, 5}},
	}
	for _, tt := range tests {
		x, err := s.Evaluate(t.Context(), tt.sel)
		storetest.Must(t, err)
		if got := storetest.Elements(t, x.Tensor); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.sel, got, tt.want)
		}
		storetest.Must(t, x.Close())
		storetest.Must(t, s.Copy(t.Context(), "copy", tt.sel, nil))
		storetest.WantValues(t, s, "copy", tt.want...)
		storetest.Must(t, s.Delete(t.Context(), "copy"))
	}
	if err := s.View(t.Context(), "v", "x[mask]"); !errors.Is(err, view.ErrNeedsCopy) {
		t.Errorf("a view of a mask: %v", err)
	}
	if _, err := s.Get(t.Context(), "x[[0]]"); !errors.Is(err, view.ErrNeedsCopy) {
		t.Errorf("get with an index array: %v", err)
	}
	for _, bad := range []string{"x[nobody]", "x[[7]]", "x[x]"} {
		if _, err := s.Evaluate(t.Context(), bad); err == nil {
			t.Errorf("%s was evaluated", bad)
		}
	}
}

func TestEvaluateBeyondMemory(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", tstore.Source{Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{1 << 20, 8}, Reserve: tstore.Sparse}})
	x, err := s.Evaluate(t.Context(), "x[:, [0, 1, 2, 3, 4, 5, 6, 7]]")
	storetest.Must(t, err)
	if kind := x.Storage().Kind(); x.NumBytes() != 64<<20 || kind == mmapstore.KindHeap {
		t.Errorf("%d bytes in %v; want 64 MiB in a file", x.NumBytes(), kind)
	}
	storetest.Must(t, x.Close())
	if found := storetest.Problems(t, s.Dir()); len(found) > 0 {
		t.Errorf("the copy left %+v", found)
	}
}
