package dtype_test

import (
	"fmt"

	"github.com/tstore/tstore/dtype"
)

func Example() {
	t, err := dtype.Parse("float16")
	if err != nil {
		fmt.Println(err)
		return
	}
	third, err := dtype.ParseScalar(t, "0.3333333")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(t, t.Size(), t.Code(), third, third.Convert(dtype.Float64))

	_, err = dtype.ParseScalar(dtype.Int8, "300")
	fmt.Println(err)
	// Output:
	// float16 2 <f2 0.3333 0.333251953125
	// "300" as int8: out of range: int8 holds -128 to 127
}

func ExampleConvert() {
	src := []byte{1, 0, 255, 255} // two int16: 1 and -1
	dst := make([]byte, 2*dtype.Float32.Size())
	dtype.Convert(dst, dtype.Float32, src, dtype.Int16)
	fmt.Println(dtype.Load(dtype.Float32, dst), dtype.Load(dtype.Float32, dst[4:]))
	// Output: 1.0 -1.0
}

func ExampleParse() {
	_, err := dtype.Parse("flaot32")
	fmt.Println(err)
	// Output: unknown dtype "flaot32": did you mean "float32"?
}
