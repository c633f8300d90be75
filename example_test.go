package tstore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// Example makes a store, puts a tensor in, and reads a part of it.
func Example() {
	dir, err := os.MkdirTemp("", "tstore")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	ctx := context.Background()
	s, err := tstore.Init(ctx, filepath.Join(dir, "store"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()

	src, err := tstore.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Create(ctx, "grid/height", src); err != nil {
		log.Fatal(err)
	}

	x, err := s.Get(ctx, "grid/height[:, ::-1]")
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	if err := view.Fprint(os.Stdout, x.Tensor, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println()
	// Output:
	// [[3. 2. 1.]
	//  [6. 5. 4.]]
}

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

func ExampleStore_Check() {
	ctx, s, done := exampleStore()
	defer done()
	found, err := s.Check(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range found {
		fmt.Printf("%s %v %s: %s (%s)\n", p.Kind, p.Names, p.File, p.Detail, p.Remedy)
	}
	fmt.Println(len(found), "problems")
	// Output: 0 problems
}

func ExampleStore_ResumeJob() {
	ctx, s, done := exampleStore()
	defer done()
	src, err := tstore.FromSlice([]float32{280, 281}, 2)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(importOrResume(ctx, s, src))
	// Output:
	// <nil>
}

func importOrResume(ctx context.Context, s *tstore.Store, src tstore.Source) error {
	err := s.Import(ctx, "t2m", src, &tstore.ImportOptions{Journal: tstore.Journal{From: 256 << 20}})
	var interrupted *tstore.JobError
	if errors.As(err, &interrupted) {
		err = s.ResumeJob(ctx, interrupted.ID, nil) // now, or in another process
	}
	return err
}

// exampleStore is an empty store in a temporary folder.
func exampleStore() (context.Context, *tstore.Store, func()) {
	dir, err := os.MkdirTemp("", "tstore")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	s, err := tstore.Init(ctx, filepath.Join(dir, "store"), nil)
	if err != nil {
		log.Fatal(err)
	}
	return ctx, s, func() {
		s.Close()
		os.RemoveAll(dir)
	}
}

// printTensor prints a tensor as NumPy does.
func printTensor(ctx context.Context, s *tstore.Store, sel string) {
	x, err := s.Get(ctx, sel)
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	if err := view.Fprint(os.Stdout, x.Tensor, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println()
}

func ExampleStore_CreateSnapshot() {
	ctx, s, done := exampleStore()
	defer done()
	src, err := tstore.FromSlice([]float64{280.5, 281, 282}, 3)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Create(ctx, "t2m", src); err != nil {
		log.Fatal(err)
	}
	if _, err := s.CreateSnapshot(ctx, "monday", "before the recalibration"); err != nil {
		log.Fatal(err)
	}
	if err := s.Fill(ctx, "t2m[0]", dtype.ScalarOf(0.0)); err != nil {
		log.Fatal(err)
	}
	for change, err := range s.DiffSnapshots(ctx, "monday", "") {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(change.Name, change.What)
	}
	old, err := s.Evaluate(ctx, "t2m@monday[:2]")
	if err != nil {
		log.Fatal(err)
	}
	defer old.Close()
	if _, err := s.RestoreSnapshot(ctx, "monday", "t2m"); err != nil {
		log.Fatal(err)
	}
	now, err := s.Get(ctx, "t2m")
	if err != nil {
		log.Fatal(err)
	}
	defer now.Close()
	if err := errors.Join(view.Fprint(os.Stdout, old.Tensor, nil), view.Fprint(os.Stdout, now.Tensor, nil)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// t2m [elements]
	// [280.5 281. ][280.5 281.  282. ]
}

func ExampleStore_Verify() {
	ctx, s, done := exampleStore()
	defer done()
	src, err := tstore.FromSlice([]float64{280.5, 281, 282}, 3)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Import(ctx, "t2m", src, nil); err != nil {
		log.Fatal(err)
	}
	err = s.Fill(ctx, "t2m[0]", dtype.ScalarOf(0.0))
	fmt.Println("sealed:", errors.Is(err, tstore.ErrSealed))

	report, err := s.Verify(ctx, &tstore.VerifyOptions{Rate: 100 << 20})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range report.Damage {
		fmt.Printf("%s, bytes %d to %d: %v\n", d.File, d.Offset, d.Offset+d.Bytes, d.Err)
		for _, part := range d.Parts {
			fmt.Println("  ", part.Selector) // such as t2m[3:5, 0:7]
		}
	}
	fmt.Println(report.Bytes, "bytes verified")

	if err := s.Unseal(ctx, "t2m"); err != nil {
		log.Fatal(err)
	}
	if err := s.Fill(ctx, "t2m[0]", dtype.ScalarOf(0.0)); err != nil {
		log.Fatal(err)
	}
	if err := s.Seal(ctx, "t2m", nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	// sealed: true
	// 24 bytes verified
}
