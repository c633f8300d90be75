// Package devicecheck compares what a device computes with what the CPU computes, and measures how
// fast it is. It is for the program gpu-check, which runs on machines that have nothing but a driver.
//
// [Run] makes a [Report] of [Figure]s:
//
//   - bits: random programs, the functions of float32, products, random expressions, and each
//     instruction that package ptxvm knows, at the edges of its types;
//   - rates of the bus, of memory and of arithmetic, and what programs reach of them: on operands
//     that are on the device, and on files that are larger than its memory;
//   - what is left behind: after an evaluation that was cancelled, and after thousands of them.
//
// All of it is bounded in time: a check that has no time left says how far it came.
package devicecheck
