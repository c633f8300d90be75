// Package ptxtest has what tests of code for devices compare with the CPU: a [Product] is a product of
// two matrices of random numbers.
package ptxtest
