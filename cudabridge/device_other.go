//go:build !(cuda && linux)

package cudabridge

import (
	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

func devices() ([]Device, error) { return nil, ErrUnavailable }

func driverVersion() (Version, error) { return Version{}, ErrUnavailable }

func open(mmapstore.Place, *Options) (device.Device, error) { return nil, ErrUnavailable }
