// Package graph has the steps of computations whose types and shapes are known.
//
// A [Program] stores the values of statements. Each is a [Node]: a tensor, a number, or a step on
// the elements of other nodes. A [Builder] makes nodes: equal ones are one, views are pushed down
// to tensors, so that only what they show is computed, and what has to be known of elements before
// shapes are is computed at once.
//
// The package knows neither the text of expressions nor how nodes are computed: compute binds names
// and functions to nodes, and package pass puts them into passes over memory. [Bulk] is the seam
// for work on whole arrays, of which a node knows its name and its memory only.
package graph
