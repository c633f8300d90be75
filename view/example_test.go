package view_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func Example() {
	st, err := mmapstore.New(12 * 4) // or Map, for a file
	if err != nil {
		log.Fatal(err)
	}
	defer st.Release()
	l, err := view.NewLayout(3, 4)
	if err != nil {
		log.Fatal(err)
	}
	t, err := view.NewTensor(st, dtype.Float32, l)
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()

	row, err := t.Slice("1, ::-1") // shares the bytes of t
	if err != nil {
		log.Fatal(err)
	}
	values, err := view.FromSlice([]float32{1, 2, 3, 4.5})
	if err != nil {
		log.Fatal(err)
	}
	defer values.Close()
	if err := view.Copy(context.Background(), row, values); err != nil {
		log.Fatal(err)
	}
	if err := view.Fprint(os.Stdout, t, nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	// [[0.  0.  0.  0. ]
	//  [4.5 3.  2.  1. ]
	//  [0.  0.  0.  0. ]]
}

func ExampleLayout_Index() {
	l, err := view.NewLayout(10, 4)
	if err != nil {
		log.Fatal(err)
	}
	part, err := l.Index(view.Index{view.SpanStep(1, 9, 2), view.All().By(-1)})
	fmt.Println(part, err)
	_, err = l.Index(view.Index{view.At(12)})
	fmt.Println(err)
	// Output:
	// shape (4, 4) strides (8, -1) offset 7 <nil>
	// index 12 is out of bounds for axis 0 with size 10
}

func ExampleParseIndex() {
	ix, err := view.ParseIndex("1:9:2, ..., newaxis, -1")
	fmt.Println(ix, err)
	_, err = view.ParseIndex("1:9, x")
	fmt.Println(err)
	// Output:
	// 1:9:2, ..., newaxis, -1 <nil>
	// index "1:9, x", position 5: expected an integer, a slice, '...' or newaxis, found 'x'
}

func ExampleLayout_Runs() {
	l, err := view.MakeLayout([]int{2, 3, 4}, []int{100, 4, 1}, 0)
	if err != nil {
		log.Fatal(err)
	}
	for run := range l.Runs() {
		fmt.Printf("%d elements from %d, step %d\n", run.N, run.Start, run.Step)
	}
	// Output:
	// 12 elements from 0, step 1
	// 12 elements from 100, step 1
}

func ExampleVisit() {
	t, err := view.FromSlice([]float64{1, 2, 3.5})
	if err != nil {
		log.Fatal(err)
	}
	defer t.Close()
	err = view.Visit(t, view.Func[float32](printSum[float32]), view.Func[float64](printSum[float64]))
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 6.5
}

func printSum[T float32 | float64](a view.Array[T]) error {
	data := make([]T, a.NumElems())
	if err := a.CopyTo(data); err != nil {
		return err
	}
	var sum T
	for _, v := range data {
		sum += v
	}
	fmt.Println(sum)
	return nil
}
