//go:build cuda && linux

package cudabridge

import (
	"errors"
	"fmt"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/cudabridge/internal/driver"
	"github.com/tstore/tstore/mmapstore"
)

// oldest is the first version of CUDA whose drivers take PTX of version 7.0.
var oldest = Version{Major: 11}

func devices() ([]Device, error) {
	if _, err := driverVersion(); err != nil {
		return nil, err
	}
	n, err := cu.NumDevices()
	switch {
	case err != nil:
		return nil, fmt.Errorf("count CUDA devices: %w", driver.ErrorOf(err))
	case n == 0:
		return nil, ErrNoDevice
	}

	list := make([]Device, n)
	for i := range list {
		if list[i], err = describe(i); err != nil {
			return nil, fmt.Errorf("CUDA device %d: %w", i, driver.ErrorOf(err))
		}
	}
	return list, nil
}

// driverVersion loads the driver, unless that was done, and looks at its version.
func driverVersion() (Version, error) {
	err := driver.Load()
	if failed, ok := errors.AsType[*driver.Error](err); ok {
		if failed.Code == driver.NoDevice {
			return Version{}, ErrNoDevice
		}
		return Version{}, fmt.Errorf("start the NVIDIA driver: %w", err)
	}
	if err != nil {
		return Version{}, err
	}

	n := cu.Version() // 12090 is 12.9, and -1 is an error that cu does not tell
	if n < 0 {
		return Version{}, errors.New("the NVIDIA driver does not tell its version")
	}
	v := Version{Major: n / 1000, Minor: n % 1000 / 10}
	if v.Major < oldest.Major {
		return Version{}, fmt.Errorf("%w: it is for CUDA %v, and %v or newer is needed", ErrOldDriver, v, oldest)
	}
	return v, nil
}

func describe(i int) (Device, error) {
	d, err := cu.GetDevice(i)
	if err != nil {
		return Device{}, err
	}

	name, err := d.Name()
	if err != nil {
		return Device{}, err
	}
	total, err := d.TotalMem()
	if err != nil {
		return Device{}, err
	}
	major, minor, err := d.ComputeCapability()
	if err != nil {
		return Device{}, err
	}

	return Device{Place: mmapstore.GPU(i), Name: name, TotalBytes: total, Major: major, Minor: minor}, nil
}
