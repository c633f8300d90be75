// Package term has the tree that an expression is before its names are bound: a [Term] knows no
// types, no shapes and no tensors but those that a program gave. It is read from a text, printed as
// one, searched for names, and has names replaced.
//
// [Functions] read texts: which words are functions, and which parameters they have, is all that
// reading needs of them. What they mean is known to package bind, by the Number of a [Function].
//
// Terms are immutable and may be shared, so a tree is a graph: who walks it remembers where it has
// been. A mistake in a text is an [Error], which says where it is.
package term
