package tstore_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

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
