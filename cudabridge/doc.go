// Package cudabridge reaches CUDA devices.
//
// It is real under the build tag cuda, on Linux, which needs cgo and the header of CUDA
// (make cuda-sdk). Without the tag every call is ErrUnavailable, and the package is pure Go. A
// program with the tag starts on every machine: the driver is looked for at the first call, and
// without one that is ErrNoDriver.
//
// Today it lists the devices. Nothing is computed on them.
//
// # Caveats
//
//   - The driver is looked for once a process: a driver that is installed later is found by the
//     next process.
//   - Mapped bytes must not be handed to the driver: a page fault in C can't be
//     recovered. Copy them to memory of the program first.
package cudabridge
