package tstore_test

import (
	"context"
	"fmt"
	"log"

	"github.com/tstore/tstore/compute"
	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// A tensor in the memory of a device. The device here is one in Go: cudabridge.Open opens a GPU.
func Example_places() {
	ctx := context.Background()
	var gpu device.Device = devicetest.New(nil)
	defer gpu.Close()
	host, err := view.FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	if err != nil {
		log.Fatal(err)
	}

	st, err := mmapstore.WithAllocator(gpu, host.NumBytes())
	if err != nil {
		log.Fatal(err)
	}
	x, err := view.NewTensor(st, host.DType(), host.Layout())
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close()
	if err := st.Release(); err != nil {
		log.Fatal(err)
	}

	if err := view.Copy(ctx, x, host); err != nil {
		log.Fatal(err)
	}
	roots := compute.Call("sqrt", compute.FromTensor(x))
	if err := compute.Assign(ctx, x, compute.SetMul, roots, &compute.Options{Device: gpu}); err != nil {
		log.Fatal(err)
	}
	if err := view.Copy(ctx, host, x); err != nil {
		log.Fatal(err)
	}

	fmt.Println(x.Storage().Place(), host.Shape())
	v, err := host.Get(1, 0)
	fmt.Println(v, err)
	// Output:
	// gpu:0 [2 3]
	// 8.0 <nil>
}
