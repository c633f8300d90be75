// Package spare allocates small values several at once.
//
// Terms and lists of nodes live and die with the expression that they are part of: one allocation
// holds those of a short expression. A value keeps the others of its allocation alive.
package spare
