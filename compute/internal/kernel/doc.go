// Package kernel holds the inner loops of computing: each works on contiguous elements of one type,
// knows nothing of shapes, and is entered through [Call].
//
//   - [Op] names an operation and says what it means, [ResultType] what type its results have.
//   - [Func] is the loop of an operation on elements of one type. Its [Form] says which operands
//     are scalars.
//   - [Lookup] returns the fastest loop that this processor has, [Convert] those between element
//     types, and [StreamCopy] a copy that writes past the caches. [ISA] tells what they were
//     written for.
//   - [Gather] and [Scatter] move elements that do not follow each other.
//   - [Sieve] counts keys beside bounds and keeps those between.
//   - [Generic] returns a loop in Go. It is the meaning of the operation: all others make the same
//     bits, on every platform, but for the payload and sign of NaNs.
//
// What operations mean is what NumPy 2 makes of them, unless the comment of an operation says
// otherwise.
//
// # Caveats
//
//   - Loops check nothing: neither lengths, nor alignment, nor that a type is right.
//   - A loop in assembly can't be stopped by the scheduler: see [MaxCallBytes].
//   - The build tag noasm leaves all assembly out.
package kernel
