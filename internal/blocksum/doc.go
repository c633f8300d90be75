// Package blocksum sums runs of bytes block by block, so that damage is found, and found where it
// is.
//
// The payload of a storage is cut into blocks of [BlockBytes], counted from its first byte; the
// last one may be shorter. [Of] sums one: xxh3 of 64 bits, seeded by the storage and the number of
// the block, so that a block that lies in another's place, of the same file or of another one, does
// not pass. [Collector] makes the sums of bytes that stream by in pieces. [Root] is one number for
// all sums of a storage.
//
// [Encode] and [Decode] are the form of sums in a file of their own.
//
// # Caveats
//
//   - The sums find accidents: bits that flip, writes that get lost or go astray, files that are
//     cut. They do not resist someone who changes bytes and sums together.
package blocksum
