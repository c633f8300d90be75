package tstore_test

import (
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

func ExampleStore_Update() {
	ctx, s, done := exampleStore()
	defer done()
	err := s.Update(ctx, func(tx *tstore.Tx) error {
		for day := range 3 {
			src, err := tstore.FromSlice([]float64{float64(day), 10}, 2)
			if err != nil {
				return err
			}
			if err := tx.Create(fmt.Sprintf("days/%d", day), src); err != nil {
				return err
			}
		}
		return tx.View("latest", "days/2")
	})
	if err != nil {
		log.Fatal(err)
	}
	for item, err := range s.List(ctx, &tstore.ListOptions{Recursive: true}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(item.Name)
	}
	// Output:
	// days/0
	// days/1
	// days/2
	// latest
}

func ExampleTx_Blob() {
	ctx, s, done := exampleStore()
	defer done()
	err := s.PutBlob(ctx, "runs/count", catalog.IntValue(41))
	if err != nil {
		log.Fatal(err)
	}
	for {
		err = s.Update(ctx, func(tx *tstore.Tx) error {
			v, err := tx.Blob("runs/count")
			if err != nil {
				return err
			}
			n, err := v.Int()
			if err != nil {
				return err
			}
			return tx.PutBlob("runs/count", catalog.IntValue(n+1))
		})
		if !errors.Is(err, tstore.ErrConflict) {
			break
		}
	}
	if err != nil {
		log.Fatal(err)
	}
	v, err := s.Blob(ctx, "runs/count")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v)
	// Output:
	// 42
}

func ExampleStore_Append() {
	ctx, s, done := exampleStore()
	defer done()
	empty := tstore.Source{Spec: tstore.Spec{DType: dtype.Float64, Shape: []int{0, 2}}}
	if err := s.Create(ctx, "log", empty); err != nil {
		log.Fatal(err)
	}
	for i := range 3 {
		row, err := tstore.FromSlice([]float64{float64(i), float64(i * i)}, 1, 2)
		if err != nil {
			log.Fatal(err)
		}
		if err := s.Append(ctx, "log", row); err != nil {
			log.Fatal(err)
		}
	}
	info, err := s.Stat(ctx, "log")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Layout.Shape(), "version", info.Version())
	// Output: [3 2] version 4
}

func ExampleStore_View() {
	ctx, s, done := exampleStore()
	defer done()
	src, err := tstore.FromSlice([]int32{0, 1, 2, 3, 4, 5, 6, 7}, 8)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Create(ctx, "x", src); err != nil {
		log.Fatal(err)
	}
	if err := s.View(ctx, "even", "x[::2]"); err != nil {
		log.Fatal(err)
	}
	// A change through one name shows through the other.
	if err := s.Fill(ctx, "even[1:3]", dtype.ScalarOf(int32(-1))); err != nil {
		log.Fatal(err)
	}
	x, err := s.Get(ctx, "x")
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	if err := view.Fprint(os.Stdout, x.Tensor, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println()
	// Output: [ 0  1 -1  3 -1  5  6  7]
}

func ExampleStore_OpenWritable() {
	ctx, s, done := exampleStore()
	defer done()
	zeros := tstore.Source{Spec: tstore.Spec{DType: dtype.Float32, Shape: []int{4}}}
	if err := s.Create(ctx, "state", zeros); err != nil {
		log.Fatal(err)
	}
	w, err := s.OpenWritable(ctx, "state")
	if err != nil {
		log.Fatal(err)
	}
	for i := range 4 {
		if err := w.Set(dtype.ScalarOf(float32(i)/2), i); err != nil {
			log.Fatal(err)
		}
	}
	// Close makes the elements durable and takes the dirty mark off.
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	x, err := s.Get(ctx, "state[-1]")
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	v, err := x.Tensor.Get()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(v)
	// Output: 1.5
}

func ExampleStore_SetAttr() {
	ctx, s, done := exampleStore()
	defer done()
	src, err := tstore.FromSlice([]float32{280.5, 281}, 2)
	if err != nil {
		log.Fatal(err)
	}
	src.Dims = []string{"time"}
	src.Attrs = map[string]catalog.Value{"units": catalog.StringValue("K")}
	if err := s.Create(ctx, "t2m", src); err != nil {
		log.Fatal(err)
	}
	if err := s.SetAttr(ctx, "t2m", "scale", catalog.FloatValue(0.5)); err != nil {
		log.Fatal(err)
	}
	attrs, err := s.Attrs(ctx, "t2m")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(attrs["units"], attrs["scale"])
	// Output: K 0.5
}
