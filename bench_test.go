package tstore_test

import (
	"fmt"
	"testing"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// BenchmarkGet opens and closes a tensor, or a part of one, in an open store.
func BenchmarkGet(b *testing.B) {
	s := storetest.NewStore(b)
	storetest.Create(b, s, "x", storetest.Source(b, 0, 1000, 100))
	if err := s.View(b.Context(), "v", "x[::2]"); err != nil {
		b.Fatal(err)
	}
	for _, sel := range []string{"x", "v", "v[10:20, ::-1]"} {
		b.Run(sel, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				x, err := s.Get(b.Context(), sel)
				if err != nil {
					b.Fatal(err)
				}
				x.Close()
			}
		})
	}
}

// BenchmarkSlice slices an open tensor.
func BenchmarkSlice(b *testing.B) {
	s := storetest.NewStore(b)
	storetest.Create(b, s, "x", storetest.Source(b, 0, 1000, 100))
	x, err := s.Get(b.Context(), "x")
	if err != nil {
		b.Fatal(err)
	}
	defer x.Close()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := x.Slice("10:20, ::-1"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkView names a part of a tensor, durably.
func BenchmarkView(b *testing.B) {
	s := storetest.NewStore(b)
	storetest.Create(b, s, "x", storetest.Source(b, 0, 1000, 100))
	i := 0
	for b.Loop() {
		i++
		if err := s.View(b.Context(), fmt.Sprintf("v/%d", i), "x[::2]"); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCreate10000 makes 10,000 small tensors in one transaction.
func BenchmarkCreate10000(b *testing.B) {
	s := storetest.NewStore(b)
	round := 0
	for b.Loop() {
		round++
		err := s.Update(b.Context(), func(tx *tstore.Tx) error {
			for i := range 10_000 {
				if err := tx.Create(fmt.Sprintf("r%d/t%05d", round, i), storetest.Source(b, float64(i), 16, 16)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEval computes expressions of tensors of 1,000 elements, text to elements.
func BenchmarkEval(b *testing.B) {
	s := storetest.NewStore(b)
	storetest.Create(b, s, "x", storetest.Source(b, 0, 1000))
	storetest.Create(b, s, "y", storetest.Source(b, 1, 1000))
	for _, text := range []string{"sqrt(x*x + y*y)", "x[::2]*2 + sin(y[::2])", "sum(x)"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r, err := s.Eval(b.Context(), text, nil)
				if err != nil {
					b.Fatal(err)
				}
				r.Close()
			}
		})
	}
}

// BenchmarkCreateSnapshot keeps the state of a store of 10,000 tensors, each in a file of its own.
func BenchmarkCreateSnapshot(b *testing.B) {
	s := storetest.NewStore(b)
	for first := 0; first < 10_000; first += 500 {
		err := s.Update(b.Context(), func(tx *tstore.Tx) error {
			for i := range 500 {
				src := storetest.Source(b, 0, 8)
				src.Reserve = tstore.Sparse
				if err := tx.Create(fmt.Sprintf("run/%05d/loss", first+i), src); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	i := 0
	for b.Loop() {
		i++
		snap, err := s.CreateSnapshot(b.Context(), fmt.Sprintf("s%d", i), "")
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(snap.Bytes), "catalog-B")
	}
}
