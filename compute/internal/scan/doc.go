// Package scan computes running sums and products along an axis of an element-wise expression: each
// result is that of all elements up to it.
//
// A [Scan] is one job for package exec, or two: where lines along the axis are so long that they
// are cut into parts, the first job finds the totals of the parts, and the second starts each part
// with the totals of those before it. Many columns side by side are gone through from the top down,
// so that memory is walked in its order: workers wait for what is above their columns. Parts depend
// on the shape and the types alone, and so do the results.
//
// Floats are added in twice the precision of float64 and multiplied in float64, and rounded once;
// integers wrap.
package scan
