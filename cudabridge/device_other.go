//go:build !(cuda && linux)

package cudabridge

func devices() ([]Device, error) { return nil, ErrUnavailable }

func driverVersion() (Version, error) { return Version{}, ErrUnavailable }
