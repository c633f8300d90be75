package tstore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tstore/tstore"
)

// ExampleStore_Backup makes a backup, brings it up to date, and makes a store of it.
func ExampleStore_Backup() {
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
	rows, err := tstore.FromSlice(make([]float64, 100_000), 1000, 100)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Create(ctx, "log", rows); err != nil {
		log.Fatal(err)
	}

	backup := filepath.Join(dir, "backup")
	if _, err := s.Backup(ctx, backup, nil); err != nil {
		log.Fatal(err)
	}
	row, err := tstore.FromSlice(make([]float64, 100), 1, 100)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Append(ctx, "log", row); err != nil {
		log.Fatal(err)
	}
	again, err := s.Backup(ctx, backup, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("copied little:", again.CopiedBytes < again.Bytes/10)

	if _, err := tstore.Restore(ctx, []string{backup}, filepath.Join(dir, "restored"), nil); err != nil {
		log.Fatal(err)
	}
	restored, err := tstore.Open(ctx, filepath.Join(dir, "restored"), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer restored.Close()
	info, err := restored.Stat(ctx, "log")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(info.Layout.Shape())
	// Output:
	// copied little: true
	// [1001 100]
}
