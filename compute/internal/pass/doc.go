// Package pass computes what a graph says: in passes over memory.
//
// A [Plan] puts the nodes of a program into passes: one walk over memory each, which stores the
// values of statements, or keeps the elements of a node that programs of registers can't compute,
// such as a sum, for later passes. A pass is lowered to a program of package machine. A run binds
// it to the tensors where they lie, and package exec gives chunks of it to workers, while package
// stream reads files ahead of them.
//
// A run may begin at a [Checkpoint] that an earlier one has told. [Parts] compute a result piece by
// piece. [Work] is what a pass gives to those who compute a node of whole arrays, or count.
//
// The package knows neither names nor functions: package graph has the nodes, and compute what
// users call.
package pass
