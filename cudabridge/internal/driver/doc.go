// Package driver defines the functions of NVIDIA's driver, so that a program that uses them starts
// where no driver is.
//
// gorgonia.org/cu links libcuda, and calls cuInit when a program starts. Here each function of the
// driver is a trampoline, which jumps to where its slot points. Load opens libcuda.so.1, calls its
// cuInit, and points the slots to its functions. Until then each function answers
// CUDA_ERROR_NOT_INITIALIZED, but for cuInit, which answers that all is well.
//
// symbols.h lists the functions, and C's preprocessor makes all else of that list: the trampolines,
// the slots, the names that Load looks for, and a stub library. cu is linked by itself once, when
// cgo looks which symbols it needs; that link finds them in the stub.
//
// All of that is under the build tag cuda, for Linux. With the tag fakecuda as well, Load opens no
// library, and the driver is package fakedriver.
package driver
