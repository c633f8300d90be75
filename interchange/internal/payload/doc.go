// Package payload reads and writes the elements inside files of any format: a run of packed elements of one type,
// in either byte order, in a file or on a stream.
//
// [Section] reads them from a file at any position, [Stream] in order from a reader, and [Write] writes a tensor's.
// What is read is always little endian.
package payload
