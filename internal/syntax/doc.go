// Package syntax reads and writes the one language of tstore: names, indexes, selectors,
// expressions and programs.
//
// Expression, Program, Steps and Items read text into a Tree of Nodes with their places in the
// text. String writes a Node as text that is read as an equal one. What names, functions and
// operators mean is left to those who walk the tree: view makes indexes and chains of it, compute
// terms.
//
// The tree of a wrong text has everything before the mistake, and a Missing node or a shorter list
// where it is. Who walks the tree and comes to the end of it reports Tree.Err then, so that the
// first mistake in the text is the one that is told, of whichever kind it is.
//
// Names are written plain if they are words without a meaning of their own, and otherwise in back
// quotes. Between the brackets of a selector, a name is read up to the next space or one of ,:[]()"
// and may stand in double quotes as well.
package syntax
