// Package cudabridge reaches CUDA devices.
//
// It is real under the build tag cuda, which needs cgo and the CUDA headers, and whose programs
// start only where an NVIDIA driver is installed: the package gorgonia.org/cu links libcuda and
// ends the process without one. Without the tag every call is ErrUnavailable, and the package is
// pure Go. So a program that must run everywhere is built without the tag, and one for GPUs is a
// binary of its own.
//
// # Caveats
//
//   - Mapped bytes must not be handed to the driver: a page fault in C can't be
//     recovered. Copy them to memory of the program first.
package cudabridge
