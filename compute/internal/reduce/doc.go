// Package reduce computes reductions over any axes of element-wise expressions, several in one pass.
package reduce
