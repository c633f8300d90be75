package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

// fixtureMain makes a store in the folder that its argument names, for scripts about commands that
// read:
//
//	x              float32 (3, 4), 0 to 11; attributes units, scale; dims row, col
//	x_every_other  its columns 0 and 2, a view
//	weather/t2m    int16 (2, 3), column-major
//	weather/empty  float64 (0, 2)
//	nan            float64 (3,): 1, nan, -inf
//	z              complex128 (2,): 1+2j, -0.5j
//	one            int64 scalar 42
//	notes/config   a JSON blob
func fixtureMain() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: fixture DIR")
		os.Exit(2)
	}
	if err := makeFixture(context.Background(), os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func makeFixture(ctx context.Context, dir string) error {
	s, err := tstore.Init(ctx, dir, nil)
	if err != nil {
		return err
	}
	return errors.Join(fillFixture(ctx, s), s.Close())
}

func fillFixture(ctx context.Context, s *tstore.Store) error {
	config, err := catalog.JSONValue(`{"rate": 0.1}`)
	if err != nil {
		return err
	}
	m := fixtureMaker{ctx: ctx, store: s}
	x := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	create(&m, "x", x, tstore.Spec{
		Shape: []int{3, 4}, Dims: []string{"row", "col"},
		Attrs: map[string]catalog.Value{"units": catalog.StringValue("K"), "scale": catalog.FloatValue(0.5)},
	})
	create(&m, "weather/t2m", []int16{1, 4, 2, 5, 3, 6}, tstore.Spec{Shape: []int{2, 3}, Order: tstore.ColumnMajor})
	create(&m, "weather/empty", []float64{}, tstore.Spec{Shape: []int{0, 2}})
	create(&m, "nan", []float64{1, math.NaN(), math.Inf(-1)}, tstore.Spec{Shape: []int{3}})
	create(&m, "z", []complex128{1 + 2i, complex(0, -0.5)}, tstore.Spec{Shape: []int{2}})
	create(&m, "one", []int64{42}, tstore.Spec{Shape: []int{}})
	return errors.Join(m.err, s.View(ctx, "x_every_other", "x[:, ::2]"), s.PutBlob(ctx, "notes/config", config))
}

// fixtureMaker creates tensors until the first error.
type fixtureMaker struct {
	ctx   context.Context
	store *tstore.Store
	err   error
}

func create[T dtype.Element](m *fixtureMaker, name string, data []T, sp tstore.Spec) {
	if m.err != nil {
		return
	}
	src, err := tstore.FromSlice(data, len(data))
	if err != nil {
		m.err = err
		return
	}
	sp.DType = src.DType
	src.Spec = sp
	m.err = m.store.Create(m.ctx, name, src)
}
