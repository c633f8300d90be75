// Package knn finds the nearest of many vectors, exactly, by comparing with all of them.
//
// Products of matrices give all distances with small errors that have a bound. Only where that
// bound leaves it open whether a vector is among the nearest, its distance is computed in float64.
// So results are those of float64, and do not depend on the order in which vectors are seen. Of
// equal distances the lower index comes first; what is NaN comes last.
//
// A [Search] sees vectors in any order; [Neighbours] is work on whole arrays.
package knn
