// Package blockscan reads the payload of a data file block by block, to compute or compare
// checksums. It uses several goroutines, can read past the page cache, and is no faster than a
// [Rate] allows. It reports a block that can't be read, and goes on with the others.
package blockscan
