// Package device is what computing asks of a processor with memory of its own, such as a GPU.
//
//   - A [Device] has memory for tensors, compiles GPU code, and makes queues.
//   - A [Queue] does what it is given in order, beside the program: copies between its staging
//     memory and the device, and launches of a [Module].
//
// Package cudabridge implements these interfaces for CUDA devices; package devicetest has an
// implementation in Go, and the tests that both of them pass. Package compute uses them; see
// compute.Options.
//
// # Caveats
//
//   - Only staging memory is copied from and to a device. Mapped bytes are never handed to a driver:
//     a page that can't be read would end the process there.
package device
