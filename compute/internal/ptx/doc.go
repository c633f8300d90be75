// Package ptx writes GPU code: PTX, the assembly language of CUDA devices, which the driver
// compiles.
//
// What the code computes has the bits of what package kernel computes, except for the payloads of
// NaNs. So each float instruction names its rounding, and the functions of package kernel are
// translated from their Go source: functions.ptx holds what _gen makes of them.
//
//   - [Compile] makes a [Kernel] of a program of package jit: element-wise work on operands in the
//     memory of a device, of any of the [Layouts]. It refuses what it has no code for with an
//     [UnsupportedError]. [Key] tells programs apart.
//   - [CompileFolds] makes a [FoldKernel] of a program that folds values into accumulators, with the
//     bits of kernel.CallFold.
//   - [ProductText] returns the code of products of matrices, whose sums are those of package gemm.
//   - A [Function] is a translated function, a [Table] what it looks numbers up in.
//
// # The code
//
// It is for PTX 7.0 and devices from sm_70 on. In a Kernel, a thread computes 16 bytes of the
// widest operand, which it loads and stores at once; the thread at the end takes its elements one
// by one. It needs neither shared memory nor barriers. In a product, 256 threads take stages of
// both panels to shared memory, in turn to its two halves, and each adds 64 or 32 sums. In a
// FoldKernel, a block computes elements into shared memory, from where one thread for each
// accumulator takes its own in order; or, where accumulators are many, the thread of each computes
// what it takes.
//
// # Caveats
//
//   - Refused are those functions of complex numbers that leave infinity and NaN to package
//     math/cmplx: exp, sqrt, pow, the trigonometric and the hyperbolic ones; and folds of small
//     floats, products and extremes of complex numbers, and FoldMoments.
//   - sin, pow, erf and others of float32 are computed in float64, as package kernel does.
package ptx
