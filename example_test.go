package tstore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tstore/tstore"
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
