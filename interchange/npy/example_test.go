package npy_test

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/npy"
	"github.com/tstore/tstore/view"
)

func Example() {
	t, err := view.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer
	if err := npy.Encode(context.Background(), &file, t); err != nil {
		fmt.Println(err)
		return
	}

	f, err := npy.NewReader(&file)
	if err != nil {
		fmt.Println(err)
		return
	}
	src := f.Source()
	b, err := io.ReadAll(src.Data)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(src.DType, src.Shape, dtype.Load(src.DType, b[20:]))
	// Output: float32 [2 3] 6.0
}
