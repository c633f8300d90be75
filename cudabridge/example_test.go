//go:build !(cuda && linux)

package cudabridge_test

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/cudabridge"
)

func ExampleDevices() {
	list, err := cudabridge.Devices()
	if errors.Is(err, cudabridge.ErrUnavailable) {
		fmt.Println("computing on the CPU")
	}
	for _, d := range list {
		fmt.Println(d.Place, d.Name)
	}
	// Output: computing on the CPU
}
