//go:build !linux

package filelock

func list(string) ([]Info, error) { return nil, ErrUnsupported }
