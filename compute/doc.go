// Package compute makes the elements of tensors out of those of others, in few passes over memory
// and without temporaries of their size.
//
// An [Expr] says what is to be computed. It is read from text in NumPy's spelling by [Parse], or
// built by functions and methods; docs/expressions.md describes the language. A [Statement] stores
// an expression in a tensor. [NewPlan] binds statements to the tensors that an [Env] finds, which
// settles every type and shape, and makes a [Plan] of passes over memory, which can be printed, and
// run. [Expr.Eval] and [Assign] are shorter for one expression, and [NewStream] computes one piece
// by piece, where it is read.
//
// [Apply] and [Reduce] run functions of Go over tensors in the same way. [Stats] summarises a
// tensor, [Histogram] and [Bincount] count its elements, and [Diff] compares two of them. [Arange],
// [Linspace], [Random] and [Constant] make a [Generator], whose elements are computed when they are
// read.
//
// # Caveats
//
//   - Everything runs on as many goroutines as the process has processors, unless Options.Parallelism says otherwise.
//     Results do not depend on that number, nor on the layouts of the tensors: sums and the like take elements in an order
//     that the shape, the axes, the types and the expression decide. Only which NaN a NaN is may differ, and the last bit
//     of running sums and products along an axis of more than half a million elements, which are cut where memory is.
//   - Tensors must not be written to by others while they are read here, and not be closed before the plans that use
//     them.
//   - What masks, take and repeat by several counts pick, what unique makes, and how many counts bincount has are computed while a plan
//     is made, as shapes depend on them: a plan that is run again does not see what has changed there.
package compute
