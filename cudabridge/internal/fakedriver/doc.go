// Package fakedriver is NVIDIA's driver in Go, for tests on machines without a GPU: programs with
// the build tags cuda and fakecuda find it where others find libcuda.so.1.
//
// It exports each function of the driver that it has as a C function, fakecuda_cuMemAlloc_v2 for
// cuMemAlloc_v2, and package driver points its slots to them. So the real gorgonia.org/cu runs over
// it, through the real trampolines, in one process. It has devices, contexts, memory, streams,
// events, copies, modules and launches: package ptxvm runs the kernels. Functions that it lacks
// answer CUDA_ERROR_NOT_SUPPORTED.
//
// Where NVIDIA's driver forgives, it is strict, so that tests see mistakes:
//
//   - Device memory is behind handles. An address is used once, the bytes around an allocation
//     belong to nobody, and a range that is not within one allocation is an error. New memory can't
//     be read before it was written.
//   - Handles of what was destroyed, and addresses of what was freed, are errors for ever.
//   - A stream runs what it was given later, in a goroutine, in order. Two streams run beside each
//     other, and the race detector sees what they do to the same memory.
//   - A copy from pinned memory is made when the stream comes to it, so bytes that change in
//     between are copied changed. Other memory is copied as it was, as NVIDIA's driver does it.
//
// A launch or a copy that fails makes its context fail: nothing runs there from then on, and each
// call answers CUDA_ERROR_LAUNCH_FAILED until the context is destroyed. Failure has the reason in
// words.
//
// What is queued on the default stream is done at once, when all streams of the context that wait
// for it are done.
//
// # Settings and faults
//
// $FAKECUDA is a list of settings: devices=N, memory=BYTES of each, capability=N of each (90 is 9.0),
// version=N as the driver tells it (12090 is 12.9); and of faults: cuMemAlloc_v2@3=2 has the third
// call of that function do nothing and answer 2. Set does the same for tests in the process.
//
// Live counts what is not freed, and Calls what was called. Stall has all streams wait. Exit destroys
// all contexts.
package fakedriver
