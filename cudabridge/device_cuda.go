//go:build cuda

package cudabridge

import (
	"fmt"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/mmapstore"
)

func devices() ([]Device, error) {
	n, err := cu.NumDevices()
	if err != nil {
		return nil, fmt.Errorf("count CUDA devices: %w", err)
	}
	list := make([]Device, n)
	for i := range list {
		if list[i], err = device(i); err != nil {
			return nil, fmt.Errorf("CUDA device %d: %w", i, err)
		}
	}
	return list, nil
}

func device(i int) (Device, error) {
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
