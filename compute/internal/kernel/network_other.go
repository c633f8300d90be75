//go:build !amd64 || noasm

package kernel

var networksAVX2, networksAVX512 networks
