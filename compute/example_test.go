package compute_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

func ExampleStats() {
	t, err := view.FromSlice([]float32{1, 2, 3, 6, float32(math.NaN())})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := compute.Stats(context.Background(), t)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println("count", s.Count, "nan", s.NaN, "min", s.Min, "max", s.Max, "mean", s.Mean, "sum", s.Sum)
	// Output: count 5 nan 1 min 1.0 max 6.0 mean 3.0 sum 12.0
}

func ExampleDiff() {
	a, err1 := view.FromSlice([]int32{1, 2, 3, 4, 5, 6}, 2, 3)
	b, err2 := view.FromSlice([]int32{1, 2, 3, 4, 9, 6}, 2, 3)
	if err := errors.Join(err1, err2); err != nil {
		fmt.Println(err)
		return
	}
	d, err := compute.Diff(context.Background(), a, b, compute.DiffOptions{})
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(d.Count, "of", d.Compared, "differ, by", d.MaxAbs, "at most")
	for _, m := range d.First {
		fmt.Println(m.Index, m.A, m.B)
	}
	// Output:
	// 1 of 6 differ, by 4 at most
	// [1 1] 5 9
}

func ExampleArange() {
	g, err := compute.Arange(dtype.Uint16, dtype.ScalarOf(int64(100)), dtype.ScalarOf(int64(-25)), 5)
	if err != nil {
		fmt.Println(err)
		return
	}
	var values [5]uint16
	if err := binary.Read(g, binary.LittleEndian, &values); err != nil {
		fmt.Println(err)
	}
	fmt.Println(values)
	// Output: [100 75 50 25 0]
}

func ExampleRandom() {
	g, err := compute.Random(dtype.Float32, 42)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := io.ReadAll(g.Take(3))
	if err != nil {
		fmt.Println(err)
	}
	for ; len(b) > 0; b = b[4:] {
		fmt.Println(dtype.Load(dtype.Float32, b))
	}
	// Output:
	// 0.30228472
	// 0.8201981
	// 0.36243397
}
