package compute_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"

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

func ExampleApply() {
	data := []float32{1, 10, 100, 1000}
	src, err := view.FromSlice(data, 2, 2)
	if err != nil {
		panic(err)
	}
	defer src.Close()
	dst, err := view.FromSlice(make([]int32, 4), 2, 2)
	if err != nil {
		panic(err)
	}
	defer dst.Close()
	digits := func(v float32) int32 { return int32(math.Log10(float64(v))) }
	if err := compute.Apply(context.Background(), dst, src.Transpose(), digits, nil); err != nil {
		panic(err)
	}
	if err := view.Fprint(os.Stdout, dst, nil); err != nil {
		panic(err)
	}
	// Output:
	// [[0 2]
	//  [1 3]]
}

func ExampleReduce() {
	x, err := view.FromSlice([]int64{3, 1, 4, 1, 5}, 5)
	if err != nil {
		panic(err)
	}
	defer x.Close()
	type set = map[int64]bool
	distinct, err := compute.Reduce(context.Background(), x,
		func() set { return set{} },
		func(s set, v int64) set { s[v] = true; return s },
		func(a, b set) set { maps.Copy(a, b); return a }, nil)
	fmt.Println(len(distinct), err)
	// Output: 4 <nil>
}
