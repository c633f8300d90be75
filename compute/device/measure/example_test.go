package measure_test

import (
	"context"
	"fmt"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/compute/device/measure"
)

func Example() {
	d := devicetest.New(nil) // or a device of package cudabridge
	r, err := measure.Measure(context.Background(), d, &measure.Options{Bytes: 4 << 10, Time: 1, Tries: 1})
	fmt.Println(r.Up > 0, r.Float64 > 0, err, d.Close())
	// Output: true true <nil> <nil>
}
