// Package blockscan reads the payload of a data file block by block, for who computes or compares
// checksums: with several goroutines, past the page cache where that is asked for, and no faster
// than a [Rate] allows. A block that can't be read is told, and the others are read.
package blockscan
