package mmapstore_test

import (
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/tstore/tstore/mmapstore"
)

// A storage over a new file, behind a header of 4096 bytes, is filled, made durable and closed.
func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	s, err := mmapstore.Map(filepath.Join(dir, "data"), 4096, 1<<20, mmapstore.Create, nil)
	if err != nil {
		log.Fatal(err)
	}
	err = s.With(func(b []byte) error {
		copy(b, "flat bytes")
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Flush(0, -1); err != nil {
		log.Fatal(err)
	}

	part, err := s.Range(5, 5)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Release(); err != nil { // the range keeps the mapping
		log.Fatal(err)
	}
	text := make([]byte, 5)
	if _, err := part.ReadAt(text, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s at byte %d of the file\n", text, part.FileOffset())
	if err := part.Release(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(part.Release())
	// Output:
	// bytes at byte 4101 of the file
	// it is closed
}

// Somebody cuts the file behind the mapping: reading what is missing is an error.
func ExampleFaultError() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "data")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o644); err != nil {
		log.Fatal(err)
	}
	s, err := mmapstore.Map(path, 0, -1, mmapstore.ReadOnly, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer s.Release()
	if err := os.Truncate(path, 1<<19); err != nil {
		log.Fatal(err)
	}

	err = s.With(func(b []byte) error {
		for _, x := range b {
			if x != 0 {
				return errors.New("not zero")
			}
		}
		return nil
	})
	if raceBuild {
		err = s.CheckLength() // memory of race builds does not fault
	}
	fmt.Println(errors.Is(err, mmapstore.ErrTruncated))
	// Output: true
}

func ExampleParsePlace() {
	p, err := mmapstore.ParsePlace("gpu:1")
	if err != nil {
		log.Fatal(err)
	}
	n, ok := p.GPU()
	fmt.Println(p, n, ok)
	// Output: gpu:1 1 true
}
