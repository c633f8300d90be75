// Package compute makes and measures the elements of tensors.
//
// [Stats] summarises a tensor and [Diff] compares two of them, each in one streamed pass over any layout.
// [Arange], [Random] and [Constant] make a [Generator], whose elements fill a new tensor.
//
// # Caveats
//
//   - Stats and Diff run on as many goroutines as the process has processors. Their results do not depend on
//     that number, nor on the layout of the tensors.
//   - Tensors must not be written to while Stats or Diff read them.
package compute
