package work_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
	"github.com/tstore/tstore/view"
)

// TestPickedElements changes elements through index arrays and masks, in tensors that are patched,
// rewritten, and rewritten with others beside them.
func TestPickedElements(t *testing.T) {
	t.Parallel()
	const large = 200_000
	for name, n := range map[string]int{"small": 10, "large": large, "shared": large} {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			ctx := t.Context()
			storetest.Create(t, s, "x", storetest.Source(t, 0, n))
			if name == "shared" {
				if err := s.View(ctx, "back", "x[::-1]"); err != nil {
					t.Fatal(err)
				}
			}
			storetest.Eval(t, s, "mask = x < 3; at = array([9, 0])", nil)
			storetest.Define(t, s, "lazy", "x > 10000000000")
			want := storetest.UpTo(n)
			for _, step := range []struct {
				what   string
				change func() error
				effect func()
			}{
				{"fill list", func() error { return s.Fill(ctx, "x[[1, -1]]", storetest.Scalar(t, 100)) }, func() { want[1], want[n-1] = 100, 100 }},
				{"fill mask", func() error { return s.Fill(ctx, "x[mask]", storetest.Scalar(t, 5)) }, func() { want[0], want[1], want[2] = 5, 5, 5 }},
				{"set", func() error { return setTo(t, s, "x[at]", 1.5, 2.5) }, func() { want[9], want[0] = 1.5, 2.5 }},
				{"set part of it", func() error { return setTo(t, s, "x[::2][[3, 2]]", 6) }, func() { want[6], want[4] = 6, 6 }},
				{"eval", func() error { return storetest.Discard(s.Eval(ctx, "x[[3, 5]] = x[:2]*2", nil)) }, func() { want[3], want[5] = 2*want[0], 2*want[1] }},
				{"eval +=", func() error { return storetest.Discard(s.Eval(ctx, "x[[7, 7, 8]] += 10", nil)) }, func() { want[7] += 10; want[8] += 10 }},
				{"eval mask", func() error { return storetest.Discard(s.Eval(ctx, "x[mask] *= 3", nil)) }, func() { want[0] *= 3; want[1] *= 3; want[2] *= 3 }},
				{"nothing", func() error { return storetest.Discard(s.Eval(ctx, "x[lazy] = 3", nil)) }, func() {}},
			} {
				if err := step.change(); err != nil {
					t.Fatalf("%s: %v", step.what, err)
				}
				step.effect()
				if got := storetest.Values(t, s, "x"); !slices.Equal(got, want) {
					t.Fatalf("%s: got %v…, want %v…", step.what, got[:10], want[:10])
				}
			}
			if name == "shared" {
				storetest.WantValues(t, s, "back[-3:]", want[2], want[1], want[0])
			}
		})
	}
}

func setTo(t *testing.T, s *tstore.Store, sel string, v ...float64) error {
	t.Helper()
	src, err := view.FromSlice(v, len(v))
	if err != nil {
		t.Fatal(err)
	}
	return s.Set(t.Context(), sel, src)
}

// TestPickedErrors checks what can't be changed, and that nothing is.
func TestPickedErrors(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 10))
	storetest.Eval(t, s, "short = x[:5] > 2; real = x*1", nil)
	evaluate := func(text string, o *tstore.EvalOptions) error { return storetest.Discard(s.Eval(t.Context(), text, o)) }
	for name, tc := range map[string]struct {
		err  error
		want error
		text string
	}{
		"out of bounds":   {s.Fill(t.Context(), "x[[1, 10]]", storetest.Scalar(t, 7)), nil, "index 10"},
		"short mask":      {s.Fill(t.Context(), "x[short]", storetest.Scalar(t, 7)), nil, "short"},
		"no integers":     {s.Fill(t.Context(), "x[real]", storetest.Scalar(t, 7)), nil, ""},
		"no such name":    {s.Fill(t.Context(), "x[nosuch]", storetest.Scalar(t, 7)), tstore.ErrNotFound, "nosuch"},
		"shape":           {setTo(t, s, "x[[1, 2]]", 1, 2, 3), nil, "(3,)"},
		"not last":        {setTo(t, s, "x[[1, 2]][0]", 1), view.ErrNeedsCopy, "stand last"},
		"conversion":      {setTo(t, s, "x.astype(int8)", 1), view.ErrNeedsCopy, "through views"},
		"computed mask":   {evaluate("x[x>3] = 7", nil), tstore.ErrNotFound, "where("},
		"in place":        {evaluate("x[[1]] = 7", &tstore.EvalOptions{InPlace: true}), nil, "one statement alone"},
		"two":             {evaluate("y = x + 1; x[[1]] = 7", nil), nil, "one statement alone"},
		"explained":       {evaluate("x[[1]] = 7", &tstore.EvalOptions{Explain: tstore.ExplainOnly}), nil, "one statement alone"},
		"expression":      {evaluate("x[[1, 2]] = x[:3]", nil), nil, "(3,)"},
		"expression name": {evaluate("x[[1, 2]] = nosuch", nil), tstore.ErrNotFound, "nosuch"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.err == nil || tc.want != nil && !errors.Is(tc.err, tc.want) {
				t.Fatalf("got %v, want %v", tc.err, tc.want)
			}
			storetest.WantMentioned(t, tc.err, tc.text)
		})
	}
	storetest.WantValues(t, s, "x", storetest.UpTo(10)...)
	if st := storetest.Stat(t, s, "x").Storage; st.State != catalog.Clean || st.Changes != 0 {
		t.Errorf("the storage is %v and counts %d changes", st.State, st.Changes)
	}
}
