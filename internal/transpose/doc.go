// Package transpose moves matrices whose rows become columns, at close to the speed of a plain
// copy.
//
// A matrix is rows of packed elements of 1, 2, 4, 8 or 16 bytes, a fixed number of bytes apart, at
// any address: nothing needs to be aligned. [Matrix] transposes a matrix of any size; [Block] one
// that the caches hold.
//
// Tiles as wide as a vector register are transposed inside the registers, so that each cache line
// of the source is read once and each line of the destination written once. The machine code is
// written by the program in _gen.
//
// # Caveats
//
//   - Nothing is checked but the element size: source and destination must be memory that the
//     caller may touch, and must not overlap.
//   - Machine code can't be stopped by the scheduler. Each call of it moves at most 1 MiB.
//   - The build tag noasm leaves the machine code out.
package transpose

//go:generate sh -c "cd _gen && go run . .."
