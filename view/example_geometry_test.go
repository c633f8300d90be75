package view_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

func ExampleParseMethods() {
	c, err := view.ParseMethods(".T[::-1].reshape(2, 3, -1)")
	if err != nil {
		log.Fatal(err)
	}
	l, err := view.NewLayout(4, 6)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.Apply(l, dtype.Float32))
	_, err = view.ParseMethods(".T.swapaxes(0, axis=1)")
	fmt.Println(err)
	// Output:
	// shape (2, 3, 4) strides (-3, -1, 6) offset 5 float32 <nil>
	// methods ".T.swapaxes(0, axis=1)", position 15: swapaxes has no argument "axis"
}

func ExampleCutMethods() {
	name, methods := view.CutMethods("weather/t2m.v2.T[0]")
	fmt.Println(name, methods)
	// Output:
	// weather/t2m.v2 .T[0]
}

func ExampleChain_Eval() {
	x, err := view.FromSlice([]int16{0, 1, 2, 3, 4, 5}, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	c, err := view.ParseMethods(".T.reshape(2, 3)[:, [2, 0]].astype(float32)")
	if err != nil {
		log.Fatal(err)
	}
	got, err := c.Eval(context.Background(), x, nil) // three of the steps copy
	if err != nil {
		log.Fatal(err)
	}
	defer got.Close()
	if err := view.Fprint(os.Stdout, got, nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [[1. 0.]
	//  [5. 4.]]
}

func ExampleLayout_Unfold() {
	l, err := view.NewLayout(10)
	if err != nil {
		log.Fatal(err)
	}
	windows, err := l.Unfold(0, 4, 2)
	fmt.Println(windows, err)
	fmt.Println("shares elements:", windows.SelfOverlap())
	// Output:
	// shape (4, 4) strides (2, 1) offset 0 <nil>
	// shares elements: yes
}

func ExampleLayout_Split() {
	l, err := view.NewLayout(7, 2)
	if err != nil {
		log.Fatal(err)
	}
	_, err = l.Split(3, 0)
	fmt.Println(err)
	parts, err := l.ArraySplit(3, 0)
	for _, part := range parts {
		fmt.Println(part)
	}
	fmt.Println(err)
	// Output:
	// split: 7 elements on axis 0 do not make 3 equal parts
	// shape (3, 2) strides (2, 1) offset 0
	// shape (2, 2) strides (2, 1) offset 6
	// shape (2, 2) strides (2, 1) offset 10
	// <nil>
}

func ExampleBroadcastShapes() {
	fmt.Println(view.BroadcastShapes([]int{3, 1}, []int{4}))
	fmt.Println(view.BroadcastShapes([]int{3, 2}, []int{4}))
	// Output:
	// [3 4] <nil>
	// [] broadcast: shape (4,) does not fit shape (3, 2)
}

func ExampleMayOverlap() {
	matrix, err := view.NewLayout(100, 10)
	if err != nil {
		log.Fatal(err)
	}
	left, err := matrix.Narrow(1, 0, 5)
	if err != nil {
		log.Fatal(err)
	}
	right, err := matrix.Narrow(1, 5, 5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(view.MayOverlap(left, 4, right, 4))
	fmt.Println(view.MayOverlap(left, 4, matrix.Transpose(), 4))
	// Output:
	// no
	// yes
}

func ExampleTensor_Reinterpret() {
	z, err := view.FromSlice([]complex64{1 + 2i, 3 + 4i})
	if err != nil {
		log.Fatal(err)
	}
	defer z.Close()
	floats, err := z.Reinterpret(dtype.Float32)
	if err != nil {
		log.Fatal(err)
	}
	imag, err := z.Imag()
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range []*view.Tensor{floats, imag} {
		if err := view.Fprint(os.Stdout, t, nil); err != nil {
			log.Fatal(err)
		}
		fmt.Println()
	}
	// Output:
	// [1. 2. 3. 4.]
	// [2. 4.]
}

func ExampleLayout_Diagonal() {
	l, err := view.NewLayout(4, 5)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l.Diagonal(1, 0, 1))
	fmt.Println(l.Rot90(1, 0, 1))
	// Output:
	// shape (4,) strides (6,) offset 1 <nil>
	// shape (5, 4) strides (-1, 5) offset 4 <nil>
}
