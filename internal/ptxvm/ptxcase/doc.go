// Package ptxcase has a case for each instruction that package ptxvm knows and that computes, loads
// or stores: a module, and rows of operands at the edges of its types.
//
//   - [All] returns the cases.
//   - [Case.Interpret] has ptxvm run one. A program with a GPU runs the same module there.
//   - A [Golden] file keeps what a GPU has computed, so that the interpreter is compared with it
//     where there is none.
package ptxcase
