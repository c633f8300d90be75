package jit

import (
	"runtime"
	"unsafe"
)

// Call computes n elements. args holds the addresses of the constants, of the first element of each
// input, and of where that of each output goes; or, of a program with folds, of the accumulators of
// each and of what they have lost, nil if that is not kept. n is a multiple of [FoldLanes] then. An
// output may lie at the addresses of inputs with elements of its size if it is the only one;
// otherwise outputs overlap nothing. Nothing beyond the n elements is read or written.
//
// Like kernel.Call, it has a stack frame, whose entry is the point where the scheduler can stop a
// loop over calls.
//
//go:noinline
func (c *Code) Call(args []unsafe.Pointer, n int) {
	rest := n % c.step
	c.run(args, n-rest)
	if rest > 0 {
		c.last(args, n-rest, rest)
	}
}

func (c *Code) run(args []unsafe.Pointer, n int) {
	call(unsafe.Pointer(unsafe.SliceData(c.memory)), unsafe.Pointer(unsafe.SliceData(args)), n)
	runtime.KeepAlive(c)
	runtime.KeepAlive(args)
}

// roomBytes is as much as an operand of a step may have.
const roomBytes = 64

// last computes n elements, fewer than a step, from element first on: a step of copies of them.
func (c *Code) last(args []unsafe.Pointer, first, n int) {
	var room [len(pointers)][roomBytes]byte
	var local [1 + len(pointers)]unsafe.Pointer
	local[0] = args[0]
	for k, size := range c.operands {
		local[1+k] = unsafe.Pointer(&room[k])
		if k < c.inputs {
			copy(bytesAt(local[1+k], 0, n*size), bytesAt(args[1+k], first*size, n*size))
		}
	}
	c.run(local[:], c.step)
	for k, size := range c.operands {
		if k >= c.inputs {
			copy(bytesAt(args[1+k], first*size, n*size), bytesAt(local[1+k], 0, n*size))
		}
	}
}

func bytesAt(p unsafe.Pointer, offset, n int) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(p, offset)), n)
}
