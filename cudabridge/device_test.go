//go:build !(cuda && linux)

package cudabridge_test

import (
	"errors"
	"testing"

	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/mmapstore"
)

func TestDevicesWithoutCUDA(t *testing.T) {
	list, err := cudabridge.Devices()
	if !errors.Is(err, cudabridge.ErrUnavailable) || len(list) != 0 {
		t.Errorf("got %v, %v; want ErrUnavailable", list, err)
	}
	if d, err := cudabridge.Open(mmapstore.GPU(0), nil); d != nil || !errors.Is(err, cudabridge.ErrUnavailable) {
		t.Errorf("got %v, %v; want ErrUnavailable", d, err)
	}
}
