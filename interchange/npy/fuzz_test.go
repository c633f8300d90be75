package npy_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/npy"
)

// FuzzNewReader reads any bytes: a source that opens gives as many bytes as it says, or an error.
func FuzzNewReader(f *testing.F) {
	files, err := filepath.Glob("testdata/*.npy")
	if err != nil || len(files) == 0 {
		f.Fatalf("%d golden files, error %v", len(files), err)
	}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content, uint8(0))
		f.Add(content, uint8(dtype.BFloat16))
	}
	f.Fuzz(func(t *testing.T, content []byte, named uint8) {
		file, err := npy.Options{DType: dtype.Type(named)}.NewReader(bytes.NewReader(content))
		if err != nil {
			return
		}
		src := file.Source()
		size, err := src.NumBytes()
		if err != nil {
			return // more than a store can hold
		}
		elems, err := io.ReadAll(src.Data)
		if int64(len(elems)) > size || err == nil && int64(len(elems)) < size {
			t.Fatalf("%d bytes of %v %v, error %v", len(elems), src.Shape, src.DType, err)
		}
	})
}
