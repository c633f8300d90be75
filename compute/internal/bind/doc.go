// Package bind turns terms into nodes: it finds what names stand for, checks types and shapes, and
// has a graph.Builder make the nodes that compute the values. [Program] is all it does.
//
// [Functions] are the functions and operators of the language. Each is a line of a table: its names,
// its parameters, a sentence for the documentation, and a function that binds calls of it. The
// tables stand in functions_*.go and operators.go, by topic. A call that fails says what was
// expected, and stands in the text where its argument does.
//
// A value is a node, or a number that has no type until it meets one. What depends on elements, such
// as how many a mask picks, is computed while a program is bound.
package bind
