// Package payload reads and writes the elements inside files of any format: a run of packed
// elements of one type, in either byte order.
//
// [Stream] reads them from a reader, always as little endian, and [Write] writes a tensor's.
package payload
