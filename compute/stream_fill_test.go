package compute_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/mmapstore"
)

// filled are all elements of an expression, of which those before number first stay as they were.
func filled(t *testing.T, s *compute.Stream, first int) []byte {
	t.Helper()
	b := make([]byte, s.NumElems()*s.DType().Size())
	last := first
	err := s.Fill(mmapstore.FromBytes(b), first, func(n int) error {
		if n <= last {
			t.Errorf("stored(%d) after %d", n, last)
		}
		last = n
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != max(s.NumElems(), first) {
		t.Errorf("stored ended at %d of %d elements", last, s.NumElems())
	}
	return b
}

func TestFill(t *testing.T) {
	env := streamNames(t).env()
	rng := rand.New(rand.NewPCG(3, 3))
	for _, limit := range []int64{0, 1} {
		for _, text := range streamed {
			t.Run(text, func(t *testing.T) {
				s := stream(t, text, env, &compute.Options{MemoryLimit: limit})
				want := packedBytes(t, s, 0)
				size := s.DType().Size()
				for _, first := range []int{0, rng.IntN(s.NumElems() + 1), s.NumElems()} {
					if got := filled(t, s, first); !bytes.Equal(got[first*size:], want[first*size:]) {
						t.Errorf("from %d on: other elements than Blocks gives", first)
					}
				}
			})
		}
	}
}

func TestFillEndsWithAnError(t *testing.T) {
	s := stream(t, "x*2", streamNames(t).env(), &compute.Options{MemoryLimit: 1})
	enough := errors.New("enough")
	calls := 0
	b := make([]byte, s.NumElems()*s.DType().Size())
	err := s.Fill(mmapstore.FromBytes(b), 0, func(int) error { calls++; return enough })
	if !errors.Is(err, enough) || calls != 1 {
		t.Errorf("%d calls and error %v, want 1 and %v", calls, err, enough)
	}
}

func TestIsPiecewise(t *testing.T) {
	env := streamNames(t).env()
	for text, want := range map[string]bool{
		"x*2 + v": true, "x - x.mean(axis=0)": true, "x.T[::2]": true, "(x.T*2).reshape(-1)": true, "arange(9)": true,
		"x.sum(axis=0)": false, "cumsum(x, axis=0)[::2].reshape(-1)": false, "histogram(x, 10)": false,
	} {
		if got := stream(t, text, env, nil).IsPiecewise(); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
}
