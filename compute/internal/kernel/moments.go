package kernel

import "unsafe"

// A Join joins windows of float64 elements with those behind them, given the sum of each window and
// the sum of squared distances from its mean: square[i] += nextSquare[i] + (nextSum[i]/b -
// sum[i]/a)²·share and sum[i] += nextSum[i], for n elements in ascending order, so that next ones
// may be those of the same arrays further on. scale holds a, or 1/a for a Join of equal windows,
// then 1/b, which is a power of two, and share.
type Join func(sum, square, nextSum, nextSquare, scale unsafe.Pointer, n int)

// JoinMoments joins windows of b elements to those of a elements before them, as a Join says; share
// is a·b/(a + b). b is a power of two. (Chan, Golub and LeVeque, Updating formulae and a pairwise
// algorithm for computing sample variances, 1979.)
//
//go:noinline
func JoinMoments(sum, square, nextSum, nextSquare []float64, a, b float64) {
	n := len(sum)
	square, nextSum, nextSquare = square[:n], nextSum[:n], nextSquare[:n]
	scale := [3]float64{a, 1 / b, a * b / (a + b)}
	join, lanes := bestJoin(a == b)
	whole := n &^ (lanes - 1)
	if whole > 0 {
		if a == b {
			scale[0] = 1 / a
		}
		join(unsafe.Pointer(&sum[0]), unsafe.Pointer(&square[0]), unsafe.Pointer(&nextSum[0]), unsafe.Pointer(&nextSquare[0]), unsafe.Pointer(&scale), whole)
		scale[0] = a
	}
	joinMoments(sum[whole:], square[whole:], nextSum[whole:], nextSquare[whole:], scale)
}

// joinMoments is JoinMoments in Go: its meaning. A product with 1/b is the quotient by b.
func joinMoments(sum, square, nextSum, nextSquare []float64, scale [3]float64) {
	for i := range sum {
		d := float64(nextSum[i]*scale[1]) - sum[i]/scale[0]
		square[i] += nextSquare[i] + float64(float64(d*d)*scale[2])
		sum[i] += nextSum[i]
	}
}

// bestJoin returns the fastest Join of this CPU, for windows of equal widths or of any, and the
// number of elements of which it takes multiples. Without such a Join, that number is larger than
// any number of elements.
func bestJoin(equal bool) (Join, int) {
	switch {
	case hasAVX512() && equal:
		return joinsAVX512[1], 8
	case hasAVX512():
		return joinsAVX512[0], 8
	case hasAVX2() && equal:
		return joinsAVX2[1], 4
	case hasAVX2():
		return joinsAVX2[0], 4
	}
	return nil, 1 << 62
}
