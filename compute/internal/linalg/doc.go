// Package linalg solves and factors matrices of float64 in memory, with the LAPACK of gonum.
//
// A [Matrix] is packed, row by row. Functions that say so work in place; all take matrices without
// rows or columns.
//
// A [Decomposition] does one of these things with each matrix of a batch: it is work on whole
// arrays.
//
// # Caveats
//
//   - A call can't be cancelled.
//   - Elements that are not finite are an error where LAPACK would not end, and else go through to the result.
package linalg
