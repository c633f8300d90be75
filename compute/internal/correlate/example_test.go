package correlate_test

import (
	"fmt"

	"github.com/tstore/tstore/compute/internal/correlate"
)

func ExampleTaps_Add() {
	var t correlate.Taps[int64]
	t.Append(0, 1)
	t.Append(2, 10)
	x := make([]int64, correlate.Stripe+2)
	copy(x, []int64{1, 2, 3, 4, 5})
	sums, rests := make([]int64, correlate.Stripe), make([]int64, correlate.Stripe)
	t.Add(sums, rests, x, func() bool { return false })
	fmt.Println(sums[:4])
	// Output: [31 42 53 4]
}
