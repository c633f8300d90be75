// Package window computes values of windows that move along elements: sums, means, extrema,
// variances, medians.
//
// Nothing is carried from a window to the next one, so that no error adds up and a NaN or an
// infinity leaves no trace behind it. Sums, extrema and variances of windows of 1, 2, 4, … elements
// are made of each other, for all places at once, and those that add up to the width give the
// result: that takes about as many operations on vectors as the width has bits, twice. So a sum of
// w elements has the error of a tree of additions, not of a chain. Where there are kernels, sums
// and extrema are made so in one go through the elements. Medians come from a sorted window.
//
// A [Mover] computes the windows of one stretch of elements; [Moving] is work on whole arrays.
package window
