package devicetest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
)

func Example() {
	d := devicetest.New(&devicetest.Options{MemoryBytes: 1 << 20})
	q, err := d.NewQueue()
	if err != nil {
		fmt.Println(err)
		return
	}
	in, _ := q.Stage(5, device.Written)
	out, _ := q.Stage(5, device.Read)
	at, _ := q.Memory(5)

	copy(in, "hello")
	err = errors.Join(q.Upload(at, in), q.Download(out, at), q.Wait(context.Background()))
	fmt.Printf("%s %v\n", out, err)

	_, err = q.Memory(1 << 20)
	fmt.Println(err)
	fmt.Println(d.Close())
	fmt.Println(q.Close(), d.Close())

	// Output:
	// hello <nil>
	// gpu:0: no room for 1.0 MiB: 5 B of 1.0 MiB are in use
	// gpu:0: close: it still has queues: 1, modules: 0, blocks: 0
	// <nil> <nil>
}
