package reduce_test

import (
	"math"
	"math/big"
	"math/cmplx"
	"slices"

	"github.com/tstore/tstore/compute/internal/reduce"
	"github.com/tstore/tstore/dtype"
)

// reference reduces elements one at a time, with more precision than any float. ok is false if
// there is no result. The results of Var, Std, Norm, Mean and LogSumExp are rounded to float64
// before they are rounded to their type.
func reference(op reduce.Op, t dtype.Type, elems []dtype.Scalar, ddof float64) (result dtype.Scalar, ok bool) {
	out := reduce.ResultType(op, t)
	if len(elems) == 0 && op.NeedsElement() {
		return result, false
	}
	switch op {
	case reduce.Any, reduce.All, reduce.CountNonzero:
		n := 0
		for _, e := range elems {
			if !e.IsZero() {
				n++
			}
		}
		switch op {
		case reduce.Any:
			return dtype.ScalarOf(n > 0), true
		case reduce.All:
			return dtype.ScalarOf(n == len(elems)), true
		}
		return dtype.ScalarOf(int64(n)), true
	case reduce.ArgMin, reduce.ArgMax:
		return dtype.ScalarOf(int64(first(op == reduce.ArgMax, elems))), true
	case reduce.Min, reduce.Max:
		return elems[first(op == reduce.Max, elems)], true
	case reduce.FMin, reduce.FMax:
		var numbers []dtype.Scalar
		for _, e := range elems {
			if !isNaN(e.Complex128()) {
				numbers = append(numbers, e)
			}
		}
		if len(numbers) == 0 {
			return elems[0], true
		}
		return numbers[first(op == reduce.FMax, numbers)], true
	case reduce.MaxAbs, reduce.MinAbs:
		abs := make([]dtype.Scalar, len(elems))
		for i, e := range elems {
			abs[i] = absolute(e)
		}
		return abs[first(op == reduce.MaxAbs, abs)], true
	}
	if out.Kind() == dtype.KindInt || out.Kind() == dtype.KindUint {
		return integers(op, out, elems), true
	}
	re, im := numbers(op, elems, ddof)
	return dtype.ScalarOf(complex(re, im)).Convert(out), true
}

func absolute(e dtype.Scalar) dtype.Scalar {
	t := e.Type()
	switch t.Kind() {
	case dtype.KindComplex:
		return dtype.ScalarOf(cmplx.Abs(e.Complex128())).Convert(reduce.ResultType(reduce.MaxAbs, t))
	case dtype.KindFloat:
		return dtype.ScalarOf(math.Abs(e.Float64())).Convert(t)
	case dtype.KindInt:
		if i, _ := e.Int64(); i < 0 {
			return dtype.ScalarOf(-i).Convert(t)
		}
	}
	return e
}

// first returns the index of the first NaN, or else of the first smallest or largest element.
func first(most bool, elems []dtype.Scalar) int {
	best := 0
	for i, e := range elems {
		c := e.Complex128()
		if isNaN(c) {
			return i
		}
		a, b := e, elems[best]
		if most {
			a, b = b, a
		}
		if less(a, b) {
			best = i
		}
	}
	return best
}

// isNaN reports whether c has a NaN, also where it has an infinity as well.
func isNaN(c complex128) bool { return math.IsNaN(real(c)) || math.IsNaN(imag(c)) }

func less(a, b dtype.Scalar) bool {
	switch a.Type().Kind() {
	case dtype.KindInt:
		x, _ := a.Int64()
		y, _ := b.Int64()
		return x < y
	case dtype.KindUint:
		return integer(a) < integer(b)
	}
	x, y := a.Complex128(), b.Complex128()
	return real(x) < real(y) || real(x) == real(y) && imag(x) < imag(y)
}

// integer is the remainder of an integer divided by 2^64.
func integer(e dtype.Scalar) uint64 {
	if v, ok := e.Any().(uint64); ok {
		return v
	}
	i, _ := e.Int64()
	return uint64(i)
}

// integers adds up or multiplies remainders, of which the result is the lowest bits.
func integers(op reduce.Op, out dtype.Type, elems []dtype.Scalar) dtype.Scalar {
	result := uint64(0)
	if op == reduce.Prod {
		result = 1
	}
	for _, e := range elems {
		switch op {
		case reduce.Prod:
			result *= integer(e)
		case reduce.SumAbs:
			result += integer(absolute(e))
		default:
			result += integer(e)
		}
	}
	return dtype.ScalarOf(result).Convert(out)
}

const precision = 512

func float(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// A total is a sum that nothing is rounded in but to the precision above: of the latest terms in
// one float64 as long as that holds their sum.
type total struct {
	before *big.Float
	latest float64
	x      *big.Float
}

func newTotal() *total { return &total{before: float(0), x: float(0)} }

func (t *total) add(v float64) {
	sum := t.latest + v
	of := sum - t.latest
	if rest := (t.latest - (sum - of)) + (v - of); rest == 0 { // and no NaN
		t.latest = sum
		return
	}
	t.value()
	t.latest = v
}

func (t *total) addSquare(v float64) {
	square := v * v
	if square < 0x1p-900 || square > 0x1p1000 {
		t.x.SetFloat64(v)
		t.before.Add(t.before, new(big.Float).Mul(t.x, t.x))
		return
	}
	t.add(square)
	t.add(math.FMA(v, v, -square))
}

// value returns the sum so far.
func (t *total) value() *big.Float {
	t.before.Add(t.before, t.x.SetFloat64(t.latest))
	t.latest = 0
	return t.before
}

// numbers reduces floats and complex numbers.
func numbers(op reduce.Op, elems []dtype.Scalar, ddof float64) (re, im float64) {
	switch op {
	case reduce.Prod:
		return products(elems)
	case reduce.LogSumExp:
		return logSum(elems), 0
	}
	totalRe, totalIm, totalSquares := newTotal(), newTotal(), newTotal()
	ofSquares := slices.Contains([]reduce.Op{reduce.SumSquares, reduce.Norm, reduce.Var, reduce.Std}, op)
	add := func(sum *total, part float64) {
		if part == 0 {
			return
		}
		sum.add(part)
		if ofSquares {
			totalSquares.addSquare(part)
		}
	}
	plainRe, plainIm, plainSquares := 0.0, 0.0, 0.0
	finite := true
	for _, e := range elems {
		c := e.Complex128()
		if op == reduce.SumAbs {
			c = absolute(e).Complex128()
		}
		plainRe, plainIm = plainRe+real(c), plainIm+imag(c)
		plainSquares += real(c)*real(c) + imag(c)*imag(c)
		if cmplx.IsInf(c) || isNaN(c) {
			finite = false
			continue
		}
		add(totalRe, real(c))
		add(totalIm, imag(c))
	}
	sumRe, sumIm, squares := totalRe.value(), totalIm.value(), totalSquares.value()
	n := float64(len(elems))
	round := func(x *big.Float, plain float64) float64 {
		if !finite {
			return plain
		}
		f, _ := x.Float64()
		return f
	}
	switch op {
	case reduce.Mean:
		if n == 0 {
			return math.NaN(), math.NaN()
		}
		return round(new(big.Float).Quo(sumRe, float(n)), plainRe/n), round(new(big.Float).Quo(sumIm, float(n)), plainIm/n)
	case reduce.SumSquares:
		return round(squares, plainSquares), 0
	case reduce.Norm:
		return math.Sqrt(round(squares, plainSquares)), 0
	case reduce.Var, reduce.Std:
		if n == 0 || !finite {
			return math.NaN(), 0
		}
		mean := new(big.Float).Add(new(big.Float).Mul(sumRe, sumRe), new(big.Float).Mul(sumIm, sumIm))
		squares.Sub(squares, mean.Quo(mean, float(n)))
		v, _ := squares.Float64()
		if v = v / max(n-ddof, 0); op == reduce.Std {
			v = math.Sqrt(v)
		}
		return v, 0
	}
	return round(sumRe, plainRe), round(sumIm, plainIm)
}

func products(elems []dtype.Scalar) (re, im float64) {
	a, b := float(1), float(0)
	plain := complex(1, 0)
	for _, e := range elems {
		c := e.Complex128()
		if e.Type().Kind() == dtype.KindComplex {
			plain *= c
		} else {
			plain = complex(real(plain)*real(c), 0)
		}
		if cmplx.IsInf(c) || isNaN(c) {
			a, b = nil, nil
		}
		if a == nil {
			continue
		}
		x, y := float(real(c)), float(imag(c))
		p := new(big.Float).Sub(new(big.Float).Mul(a, x), new(big.Float).Mul(b, y))
		b = new(big.Float).Add(new(big.Float).Mul(a, y), new(big.Float).Mul(b, x))
		a = p
	}
	if a == nil {
		return real(plain), imag(plain)
	}
	re, _ = a.Float64()
	im, _ = b.Float64()
	return re, im
}

func logSum(elems []dtype.Scalar) float64 {
	most := math.Inf(-1)
	for _, e := range elems {
		most = math.Max(most, e.Float64())
	}
	if math.IsInf(most, 0) || math.IsNaN(most) {
		for _, e := range elems {
			if math.IsNaN(e.Float64()) {
				return math.NaN()
			}
		}
		return most
	}
	exact := newTotal()
	for _, e := range elems {
		exact.add(math.Exp(e.Float64() - most))
	}
	sum, _ := exact.value().Float64()
	return most + math.Log(sum)
}
