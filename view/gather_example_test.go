package view_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// grid returns the numbers from 0 on in three rows of four.
func grid() *view.Tensor {
	return must(view.FromSlice([]int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 3, 4))
}

// room returns zeros of the shape.
func room(shape []int, err error) *view.Tensor {
	if err != nil {
		log.Fatal(err)
	}
	n := 1
	for _, size := range shape {
		n *= size
	}
	return must(must(view.FromSlice(make([]int32, n))).Reshape(shape...))
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// show prints a tensor that an operation has filled.
func show(t *view.Tensor, err error) {
	if err == nil {
		err = view.Fprint(os.Stdout, t, nil)
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println()
}

func ExampleGather() {
	x := grid()
	f, err := view.ParseFancy("[2, 0], ::2", nil)
	if err != nil {
		log.Fatal(err)
	}
	dst := room(view.FancyShape(context.Background(), x.Layout(), f))
	show(dst, view.Gather(context.Background(), dst, x, f))
	// Output:
	// [[ 8 10]
	//  [ 0  2]]
}

func ExampleScatter() {
	x := grid()
	mask := must(view.FromSlice([]bool{true, false, true}))
	nine := must(view.FromSlice([]int32{99}))
	show(x, view.Scatter(context.Background(), x, view.Fancy{view.BoolArray(mask)}, nine))
	// Output:
	// [[99 99 99 99]
	//  [ 4  5  6  7]
	//  [99 99 99 99]]
}

func ExampleParseFancy() {
	tensors := map[string]*view.Tensor{"late": must(view.FromSlice([]bool{false, true, true}))}
	f, err := view.ParseFancy("late, [0, -1]", func(name string) (*view.Tensor, error) { return tensors[name], nil })
	if err != nil {
		log.Fatal(err)
	}
	x := grid()
	dst := room(view.FancyShape(context.Background(), x.Layout(), f))
	show(dst, view.Gather(context.Background(), dst, x, f))
	_, err = view.ParseFancy("[1, [2]]", nil)
	fmt.Println(err)
	// Output:
	// [ 4 11]
	// index "[1, [2]]", position 4: a list beside single elements
}

func ExampleTake() {
	x := grid()
	indexes := must(view.FromSlice([]int64{3, 4, -1}))
	dst := room(view.TakeShape(x.Layout(), indexes.Shape(), 1))
	show(dst, view.Take(context.Background(), dst, x, indexes, 1, view.IndexWrap))
	// Output:
	// [[ 3  0  3]
	//  [ 7  4  7]
	//  [11  8 11]]
}

func ExamplePut() {
	x := grid()
	indexes := must(view.FromSlice([]int64{0, 5, -1}))
	values := must(view.FromSlice([]int32{70, 80}))
	show(x, view.Put(context.Background(), x, indexes, values, view.IndexRaise))
	// Output:
	// [[70  1  2  3]
	//  [ 4 80  6  7]
	//  [ 8  9 10 70]]
}

func ExampleCompress() {
	x := grid()
	mask := must(view.FromSlice([]bool{true, false, false, true}))
	dst := room(view.CompressShape(context.Background(), x.Layout(), mask, -1))
	show(dst, view.Compress(context.Background(), dst, x, mask, -1))
	// Output:
	// [[ 0  3]
	//  [ 4  7]
	//  [ 8 11]]
}

func ExampleNonzero() {
	x := must(view.FromSlice([]float32{0, 2, 0, 0, 0, 5}, 2, 3))
	fmt.Println(view.Nonzero(context.Background(), x))
	// Output:
	// [[0 1] [1 2]] <nil>
}

func ExampleConcatenate() {
	x := grid()
	row := must(view.FromSlice([]int32{-1, -2, -3, -4}, 1, 4))
	dst := room(view.ConcatenateShape(0, x.Layout(), row.Layout()))
	show(dst, view.Concatenate(context.Background(), dst, 0, x, row))
	// Output:
	// [[ 0  1  2  3]
	//  [ 4  5  6  7]
	//  [ 8  9 10 11]
	//  [-1 -2 -3 -4]]
}

func ExampleStack() {
	a, b := must(view.FromSlice([]int32{1, 2})), must(view.FromSlice([]int32{3, 4}))
	dst := room(view.StackShape(1, 2, a.Layout()))
	show(dst, view.Stack(context.Background(), dst, 1, a, b))
	// Output:
	// [[1 3]
	//  [2 4]]
}

func ExampleTile() {
	x := must(view.FromSlice([]int32{1, 2}))
	dst := room(view.TileShape(x.Layout(), 2, 3))
	show(dst, view.Tile(context.Background(), dst, x, 2, 3))
	// Output:
	// [[1 2 1 2 1 2]
	//  [1 2 1 2 1 2]]
}

func ExampleRepeat() {
	x := must(view.FromSlice([]int32{1, 2, 3}))
	counts := []int{2, 0, 3}
	dst := room(view.RepeatShape(x.Layout(), counts, 0))
	show(dst, view.Repeat(context.Background(), dst, x, counts, 0))
	// Output:
	// [1 1 3 3 3]
}

func ExamplePad() {
	x := must(view.FromSlice([]int32{1, 2, 3, 4}))
	widths := []view.PadWidth{{Before: 3, After: 2}}
	for _, mode := range []view.PadMode{view.PadConstant, view.PadEdge, view.PadReflect, view.PadSymmetric, view.PadWrap} {
		dst := room(view.PadShape(x.Layout(), widths, mode))
		show(dst, view.Pad(context.Background(), dst, x, widths, mode, dtype.ScalarOf(int8(9))))
	}
	// Output:
	// [9 9 9 1 2 3 4 9 9]
	// [1 1 1 1 2 3 4 4 4]
	// [4 3 2 1 2 3 4 3 2]
	// [3 2 1 1 2 3 4 4 3]
	// [2 3 4 1 2 3 4 1 2]
}

func ExampleRoll() {
	x := grid()
	dst := room(x.Shape(), nil)
	show(dst, view.Roll(context.Background(), dst, x, []int{1, -1}, 0, 1))
	// Output:
	// [[ 9 10 11  8]
	//  [ 1  2  3  0]
	//  [ 5  6  7  4]]
}

func ExampleAllClose() {
	a := must(view.FromSlice([]float64{1, 2}))
	b := must(view.FromSlice([]float64{1, 2.00001}))
	fmt.Println(view.AllClose(context.Background(), a, b, 1e-5, 1e-8, false))
	fmt.Println(view.AllClose(context.Background(), a, b, 1e-7, 1e-8, false))
	// Output:
	// true <nil>
	// false <nil>
}

func ExampleTensor_Elements() {
	x := must(grid().Slice("1, ::-1"))
	for v, err := range x.Elements() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(v, " ")
	}
	// Output:
	// 7 6 5 4
}

func ExampleTensor_Rows() {
	for i, row := range grid().Rows() {
		fmt.Print(i, ": ")
		show(row, nil)
	}
	// Output:
	// 0: [0 1 2 3]
	// 1: [4 5 6 7]
	// 2: [ 8  9 10 11]
}

func ExampleTensor_Boxes() {
	boxes, err := grid().Boxes(2, 3)
	if err != nil {
		log.Fatal(err)
	}
	for at, box := range boxes {
		fmt.Println(at, box.Shape())
	}
	// Output:
	// [0 0] [2 3]
	// [0 3] [2 1]
	// [2 0] [1 3]
	// [2 3] [1 1]
}
