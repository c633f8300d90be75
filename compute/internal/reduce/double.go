package reduce

import "math"

// A double is a number in about twice the precision of float64: high + low, where low is far
// smaller than high. If high is not finite, low is meaningless. The arithmetic is Dekker's, A
// Floating-Point Technique for Extending the Available Precision (1971), and keeps about 100 bits.
type double struct{ high, low float64 }

// twoSum returns x + y rounded, and what rounding has lost.
func twoSum(x, y float64) (sum, lost float64) {
	sum = x + y
	b := sum - x
	return sum, (x - (sum - b)) + (y - b)
}

// product2 returns x·y.
func product2(x, y double) double {
	p := float64(x.high * y.high)
	return double{p, math.FMA(x.high, y.high, -p) + (float64(x.high*y.low) + float64(x.low*y.high))}
}

// times returns x·y.
func (x double) times(y float64) double { return product2(x, double{y, 0}) }

// quotient returns (high + low)/y.
func quotient(high, low, y float64) double {
	q := high / y
	return double{q, (math.FMA(-q, y, high) + low) / y}
}
