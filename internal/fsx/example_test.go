package fsx_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/tstore/tstore/internal/fsx"
)

func Example() {
	dir, err := os.MkdirTemp("", "fsx")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := save(fsx.OS, filepath.Join(dir, "greeting"), "hello"); err != nil {
		log.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "greeting"))
	fmt.Println(string(b), err)

	// The same on a disk that fails the third operation, which is the write.
	faulty := fsx.NewFaulty(fsx.OS)
	faulty.FailAt(3, fmt.Errorf("no luck"))
	fmt.Println(save(faulty, filepath.Join(dir, "other"), "hello") != nil)
	// Output:
	// hello <nil>
	// true
}

// save makes a file that is there as a whole, or not at all.
func save(fsys fsx.FS, name, content string) error {
	tmp := name + ".tmp"
	f, err := fsys.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	size := int64(len(content))
	if err := fsx.Reserve(f, 0, size); err != nil {
		return err
	}
	w := fsx.NewStreamWriter(f, 0, nil)
	if err := w.ReadFrom(context.Background(), strings.NewReader(content), size); err != nil {
		return err
	}
	return fsx.Publish(fsys, f, tmp, name)
}
