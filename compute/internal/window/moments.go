package window

import "math"

// deviations joins the sums and the sums of squared distances from the mean of neighbouring windows, by the formula of Chan,
// Golub and LeVeque (Updating formulae and a pairwise algorithm for computing sample variances, 1979).
func (m *Mover[T]) deviations(out sink[T], x []T, step int) {
	n := len(out.dst)
	sum, square := m.rooms.take(len(x)), m.rooms.take(len(x))
	allSum, allSquare := m.rooms.take(n), m.rooms.take(n)
	for i, v := range x {
		sum[i], square[i] = v, v-v // of NaN and infinity NaN
	}
	covered := 0
	for k := 1; ; k *= 2 {
		if m.width&k != 0 {
			if covered == 0 {
				copy(allSum, sum)
				copy(allSquare, square)
			} else {
				join(allSum, allSquare, sum[covered*step:], square[covered*step:], T(covered), T(k))
			}
			covered += k
		}
		if covered == m.width {
			break
		}
		left := len(x) - (2*k-1)*step
		join(sum[:left], square[:left], sum[k*step:], square[k*step:], T(k), T(k))
	}
	for i, q := range allSquare {
		v := q / T(m.width)
		if m.op == Std {
			v = T(math.Sqrt(float64(v)))
		}
		out.dst[i] = v
	}
}

// join adds windows of b elements to those of a elements before them.
func join[T float](sum, square, nextSum, nextSquare []T, a, b T) {
	share := a * b / (a + b)
	nextSum, nextSquare = nextSum[:len(sum)], nextSquare[:len(sum)]
	for i := range sum {
		d := nextSum[i]/b - sum[i]/a
		square[i] += nextSquare[i] + T(T(d*d)*share)
		sum[i] += nextSum[i]
	}
}
