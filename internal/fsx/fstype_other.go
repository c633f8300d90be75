//go:build !linux && !darwin

package fsx

func fileSystem(string) string { return "" }
