// Package count counts elements: by bins ([Histogram]), by value ([Values]) or by their bits
// ([Patterns]), or adds up the weights of the elements in each.
//
// Each worker has a table of counts, as long as the memory limit has room for one each; else all
// take turns with one table. Counts are integers, so their sum does not depend on who counted.
// Weights are added by one worker, in order, so that rounding does not depend on the others either.
//
// [Work] is counting as a node of a graph. It may be fed with elements by the pass that computes
// them, so that they need not be kept.
package count
