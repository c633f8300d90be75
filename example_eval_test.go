package tstore_test

import (
	"fmt"
	"log"
	"os"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

func ExampleStore_Eval() {
	ctx, s, done := exampleStore()
	defer done()
	for name, data := range map[string][]float64{"a": {3, 6}, "b": {4, 8}} {
		src, err := tstore.FromSlice(data, 2)
		if err != nil {
			log.Fatal(err)
		}
		if err := s.Create(ctx, name, src); err != nil {
			log.Fatal(err)
		}
	}
	r, err := s.Eval(ctx, "c = sqrt(a*a + b*b); a *= 2; c.mean()", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	mean, err := r.Outputs[2].Tensor.Get()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mean)
	printTensor(ctx, s, "c")
	printTensor(ctx, s, "a")
	// Output:
	// 7.5
	// [ 5. 10.]
	// [ 6. 12.]
}

func ExampleStore_Define() {
	ctx, s, done := exampleStore()
	defer done()
	for name, data := range map[string][]float32{"nir": {3, 6, 5, 8}, "red": {1, 2, 3, 8}} {
		src, err := tstore.FromSlice(data, 2, 2)
		if err != nil {
			log.Fatal(err)
		}
		if err := s.Create(ctx, name, src); err != nil {
			log.Fatal(err)
		}
	}
	if err := s.Define(ctx, "ndvi", "(nir - red) / (nir + red)", nil); err != nil {
		log.Fatal(err)
	}
	corner, err := s.Evaluate(ctx, "ndvi[0, :2]")
	if err != nil {
		log.Fatal(err)
	}
	defer corner.Close()
	if err := view.Fprint(os.Stdout, corner.Tensor, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println()

	if err := s.Materialize(ctx, "ndvi", nil); err != nil {
		log.Fatal(err)
	}
	if err := s.Fill(ctx, "red", dtype.ScalarOf(float32(0))); err != nil {
		log.Fatal(err)
	}
	f, err := s.Formula(ctx, "ndvi")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, stale: %v\n", f.Text, f.Stale)
	// Output:
	// [0.5 0.5]
	// (nir - red) / (nir + red), stale: true
}

func ExampleStore_Read() {
	ctx, s, done := exampleStore()
	defer done()
	if err := s.Define(ctx, "curve", "(arange(10**12) / 10**12 - 0.25) ** 2", nil); err != nil {
		log.Fatal(err)
	}
	r, err := s.Read(ctx, "curve[::1000000]", nil)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	sum, err := compute.Stats(ctx, r.Elements)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sum.Count, "elements from", sum.Min, "to", sum.Max)
	// Output: 1000000 elements from 0.0 to 0.562498500001
}
