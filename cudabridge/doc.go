// Package cudabridge reaches CUDA devices: [Devices] lists them, and [Open] opens one for computing,
// as a device.Device of package compute/device.
//
// It is real under the build tag cuda, on Linux, which needs cgo and the header of CUDA
// (make cuda-sdk). Without the tag every call is ErrUnavailable, and the package is pure Go. A
// program with the tag starts on every machine: the driver is looked for at the first call, and
// without one that is ErrNoDriver.
//
// An open device has a context of its own, and a limit on the memory that may be taken of it. Each
// queue is a stream with an event that a goroutine sleeps on, and with staging memory, which is
// pinned. Modules of equal text share their code. After an error of CUDA that ends a context, and
// when a queue does not end in time, the device is lost: all calls say so, with the reason, until it
// is closed and opened again.
//
// # Caveats
//
//   - Goroutines that wait for a device that does not answer are there until it does, and so is all
//     that the device may still use.
//   - What a device needs for its context, some hundred megabytes, is beside the limit.
//   - The driver is looked for once a process: a driver that is installed later is found by the
//     next process.
//   - The driver copies from and to pinned memory alone. Blocks are read and written by way of a
//     little of it, since bytes of files must not be handed to the driver: a page fault in C can't
//     be recovered.
package cudabridge
