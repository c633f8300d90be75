// Package jit compiles the element-wise work of a block into machine code at run time.
//
// A [Program] lists operations of package kernel on operands in memory and on scalars. [Compile]
// makes [Code] of it: one loop that loads each operand once, keeps what lies between in vector
// registers, and stores the results. It refuses what it has no instructions for, and says what that
// is: the caller has another way then. [Cache] keeps code by what it does.
//
// What code computes is what the kernels of its operations compute, one after the other: the same
// bits, except for the payloads of NaNs.
//
// # The code
//
// Code is for AVX-512 or AVX2 on linux/amd64, see [ISA]. A program becomes a graph of instructions
// of AVX-512; for AVX2, those that it lacks are replaced by others, masks by vectors of all bits or
// none, and elements that do not fill a vector are copied to one.
//
// Code calls nothing, uses no stack and changes neither the stack pointer nor the frame pointer, so
// that a page which can't be had ends it like any Go code: with a panic, where
// debug.SetPanicOnFault asks for one. It can't be stopped by the scheduler, and so a call should
// write kernel.MaxCallBytes at most; [Code.Call] is a point where a loop over calls can be stopped.
//
// Its pages are written before they are made executable, and are never both. They are given back
// when nothing refers to the Code any more. A system may refuse executable pages; Compile returns
// its error then.
package jit
