//go:build !linux || !amd64 || noasm

package jit

import (
	"errors"
	"unsafe"
)

const executable = false

func mapCode([]byte) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmapCode([]byte) {}

func call(_, _ unsafe.Pointer, _ int) { panic("BUG: jit: there is no code for this system") }
