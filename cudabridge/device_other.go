//go:build !cuda

package cudabridge

func devices() ([]Device, error) { return nil, ErrUnavailable }
