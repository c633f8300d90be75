// Package machine evaluates element-wise expressions block by block.
//
// A [Builder] collects operations into a [Program]: a list of instructions, each with one value, in
// which equal expressions occur once and constants are folded. A [Worker] runs it over blocks of
// elements. The values of a block are registers of a few KiB, which stay in the first cache; an
// operand that is contiguous is used where it lies, and the last operation writes straight to its
// destination. Whatever is the same for all elements of a block is computed once.
//
// float16, bfloat16 and float8 have no registers: they are converted to float32 when they are read,
// and each result is rounded to what they can hold.
//
// Package kernel has the operations; this one adds nothing to what they mean, whichever of them it
// takes.
package machine
