package raw_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/raw"
)

// FuzzOptions opens files of any size with any options: what opens has the bytes that its shape
// needs.
func FuzzOptions(f *testing.F) {
	f.Add(24, uint8(dtype.Int32), 2, -1, int64(0), false)
	f.Add(25, uint8(dtype.Float64), -1, 1<<62, int64(1), true)
	f.Add(0, uint8(dtype.Bool), 0, -1, int64(-1), true)
	f.Add(7, uint8(0), -3, 1<<62, int64(1)<<62, false)
	path := filepath.Join(f.TempDir(), "elements")
	f.Fuzz(func(t *testing.T, size int, dt uint8, rows, cols int, offset int64, trailing bool) {
		content := counting(size & 0xfff)
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		o := raw.Options{DType: dtype.Type(dt), Shape: []int{rows, cols}, Offset: offset, AllowTrailing: trailing}
		file, err := raw.Open(path, o)
		if err != nil {
			return
		}
		defer file.Close()
		src := file.Source()
		need, err := src.NumBytes()
		if err != nil {
			t.Fatalf("%v of %v opened: %v", src.Shape, src.DType, err)
		}
		got, err := io.ReadAll(src.Data)
		if err != nil || !bytes.Equal(got, content[offset:offset+need]) {
			t.Fatalf("%v of %v: %d bytes, error %v", src.Shape, src.DType, len(got), err)
		}
	})
}
