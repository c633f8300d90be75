package reduce

import (
	"math"
	"unsafe"
)

// moments hold the moments of several columns: means and sums of squared deviations from them, both
// in twice the precision of float64, and numbers of elements. Columns have one mean and one sum for
// each component of their elements. Those of columns without elements are meaningless. A sum is NaN
// if an element is not finite. It is infinite if it exceeds float64, and its lost part is then
// meaningless. Means are finite.
type moments struct {
	mean, low     []float64
	squares, lost []float64
	n             []int64
}

// center turns the result of a fold into moments. A fold makes sums of deviations from the values
// about, and sums of squares of these deviations. center makes means, and sums of squares about the
// means. far reports whether a sum of squares shrank by more than limit times what it and the one
// in to are together. nearer gets the means of these columns, and the values about of the others.
// finite reports whether all results are finite.
func (m moments) center(about, to, nearer []float64, comps int, limit float64) (far, finite bool) {
	mean, low, squares, lost, to, nearer := m.mean[:len(about)], m.low[:len(about)], m.squares[:len(about)], m.lost[:len(about)], to[:len(about)], nearer[:len(about)]

	bad := 0.0 // NaN once something is not finite

	for k, x := range about {
		sum := mean[k]
		d := sum / float64(max(1, m.n[k>>(comps-1)]))
		mean[k], low[k] = twoSum(x, d)

		less := float64(d * sum)
		// The squares about d are those about x less d·sum. twoSum keeps what rounding loses.
		high, rest := twoSum(squares[k], -less)
		rest += lost[k]
		if high+rest < 0 {
			high, rest = 0, 0
		}
		squares[k], lost[k] = high, rest
		// 0 times a number is 0, and NaN for one that is not finite.
		bad += 0 * (high + rest + mean[k] + low[k])

		nearer[k] = x
		if less > limit*(high+to[k]) {
			nearer[k], far = mean[k], true
		}
	}

	return far, bad == 0
}

// add merges other moments into m, as in Chan, Golub and LeVeque, Updating Formulae and a Pairwise
// Algorithm for Computing Sample Variances (1979).
func (m moments) add(other moments, comps int) {
	for i := 0; i < len(other.n); {
		have, n := m.n[i], other.n[i]
		// Columns with the same counts are merged together.
		end := i
		for end < len(other.n) && m.n[end] == have && other.n[end] == n {
			m.n[end] += n
			end++
		}

		to, from := m.columns(i*comps, end*comps), other.columns(i*comps, end*comps)
		switch {
		case n == 0:
		case have == 0:
			to.set(from)
		default:
			to.addColumns(from, float64(have), float64(n))
		}

		i = end
	}
}

// columns returns the means and sums from column i up to column j.
func (m moments) columns(i, j int) moments {
	return moments{mean: m.mean[i:j], low: m.low[i:j], squares: m.squares[i:j], lost: m.lost[i:j]}
}

func (m moments) set(other moments) {
	copy(m.mean, other.mean)
	copy(m.low, other.low)
	copy(m.squares, other.squares)
	copy(m.lost, other.lost)
}

// addColumns merges means and sums of n elements each into those of have elements.
func (m moments) addColumns(other moments, have, n float64) {
	share := quotient(n, 0, have+n)
	weight := share.times(have)

	mean, low, squares, lost := m.mean, m.low[:len(m.mean)], m.squares[:len(m.mean)], m.lost[:len(m.mean)]
	mean2, low2, squares2, lost2 := other.mean[:len(mean)], other.low[:len(mean)], other.squares[:len(mean)], other.lost[:len(mean)]

	for k := range mean {
		high, rest := twoSum(mean2[k], -mean[k])
		d := double{high, rest + (low2[k] - low[k])}

		if isFinite(high) {
			d.high, d.low = twoSum(d.high, d.low) // the means may be the same but for what is low
			move := product2(d, share)
			x, rest := twoSum(mean[k], move.high)
			mean[k], low[k] = twoSum(x, rest+(low[k]+move.low))
		}

		between := product2(product2(d, weight), d)
		within, rest := twoSum(squares[k], squares2[k])
		sum, rest2 := twoSum(within, between.high)
		squares[k] = sum
		lost[k] += lost2[k] + (rest + rest2 + between.low)
	}
}

// variance returns the sum of squares of column i, divided by the number of elements less ddof; NaN
// if there are none.
func (m moments) variance(i, comps int, ddof float64) float64 {
	if m.n[i] == 0 {
		return math.NaN()
	}
	squares, lost := m.squares[i*comps], m.lost[i*comps]
	if comps == 2 {
		sum, rest := twoSum(squares, m.squares[i*2+1])
		squares, lost = sum, lost+m.lost[i*2+1]+rest
	}
	v := quotient(squares, lost, max(float64(m.n[i])-ddof, 0))
	return total(v.high, v.low)
}

// momentScale is a factor for elements. With it, their squares, and sums of squares, stay far from
// the limits of float64.
const momentScale = 0x1p-600

// moments returns the mean of column i of b and the sum of squared deviations from it. Elements
// have comps components of size bytes. Intermediate sums may exceed float64.
func (b *block) moments(i, comps, size int) (mean, squares float64) {
	n := 0.0

	b.eachFloat(i, comps, size, func(x float64) {
		n++
		mean += float64(x * momentScale)
	})

	mean /= n
	if !isFinite(mean) {
		return 0, math.NaN()
	}

	sum := 0.0
	b.eachFloat(i, comps, size, func(x float64) {
		d := float64(x*momentScale) - mean
		sum += d
		squares += float64(d * d)
	})

	squares = max(0, squares-float64(sum/n*sum))
	mean = min(max(mean/momentScale, -math.MaxFloat64), math.MaxFloat64)
	return mean, squares / momentScale / momentScale
}

// eachFloat calls fn with the elements of column i that are not masked out, float64 or float32 as
// size says.
func (b *block) eachFloat(i, comps, size int, fn func(x float64)) {
	for row := range b.rows {
		if b.mask != nil && !*(*bool)(unsafe.Add(b.mask, row*b.maskStride+i/comps)) {
			continue
		}
		x := unsafe.Add(b.ptr, row*b.stride+i*size)
		if size == 4 {
			fn(float64(*(*float32)(x)))
		} else {
			fn(*(*float64)(x))
		}
	}
}

func isFinite(x float64) bool { return x-x == 0 }
