package dtype_test

import (
	"fmt"
	"math"

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

func ExampleParse_alias() {
	for _, text := range []string{"double", "<i2", "?", "long"} {
		t, err := dtype.Parse(text)
		fmt.Println(t, err != nil)
	}
	// Output:
	// float64 false
	// int16 false
	// bool false
	// invalid true
}

func ExampleConvertSaturating() {
	src := []byte{44, 1, 255, 255} // two int16: 300 and -1
	dst := make([]byte, 2)
	dtype.ConvertSaturating(dst, dtype.Uint8, src, dtype.Int16)
	fmt.Println(dst)
	dtype.Convert(dst, dtype.Uint8, src, dtype.Int16)
	fmt.Println(dst, "by Convert")
	// Output:
	// [255 0]
	// [44 255] by Convert
}

func ExampleScalar_ConvertSaturating() {
	infinity := dtype.ScalarOf(math.Inf(1))
	fmt.Println(infinity.ConvertSaturating(dtype.Int16), infinity.ConvertSaturating(dtype.Float8E4M3FN))
	fmt.Println(dtype.ScalarOf(math.NaN()).ConvertSaturating(dtype.Int64))
	// Output:
	// 32767 448.0
	// 0
}

func ExamplePromote() {
	fmt.Println(dtype.Promote(dtype.Uint8, dtype.Int8))
	fmt.Println(dtype.Promote(dtype.Int64, dtype.Uint64))
	fmt.Println(dtype.Promote(dtype.Int32, dtype.Float32))
	fmt.Println(dtype.Promote(dtype.BFloat16, dtype.Float16))
	// Output:
	// int16
	// float64
	// float64
	// float32
}

func ExamplePromoteAll() {
	stepwise := dtype.Promote(dtype.Promote(dtype.Uint16, dtype.Int16), dtype.Float32)
	fmt.Println(dtype.PromoteAll(dtype.Uint16, dtype.Int16, dtype.Float32), stepwise)
	// Output: float32 float64
}

func ExamplePromoteScalar() {
	fmt.Println(dtype.PromoteScalar(dtype.Float16, dtype.KindFloat)) // a * 0.5
	fmt.Println(dtype.PromoteScalar(dtype.Int8, dtype.KindInt))      // a + 1
	fmt.Println(dtype.PromoteScalar(dtype.Int8, dtype.KindFloat))    // a * 0.5
	// Output:
	// float16
	// int8
	// float64
}

func ExampleResultFor() {
	// The type of a + b*2 for an int16 and a float16 tensor.
	fmt.Println(dtype.ResultFor([]dtype.Type{dtype.Int16, dtype.Float16}, dtype.KindInt))
	fmt.Println(dtype.ResultForDivision(dtype.Int8, dtype.Int8), dtype.ResultForSum(dtype.Uint8), dtype.ResultForMath(dtype.Int8))
	// Output:
	// float32
	// float64 uint64 float16
}

func ExampleCanCast() {
	rule, err := dtype.ParseCasting("same_kind")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(dtype.CanCast(dtype.Float64, dtype.Float32, rule))
	fmt.Println(dtype.CanCast(dtype.Float64, dtype.Int64, rule))
	fmt.Println(dtype.CanCast(dtype.Float64, dtype.Float32, dtype.CastSafe))
	// Output:
	// true
	// false
	// false
}
