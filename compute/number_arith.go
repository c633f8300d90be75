package compute

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/cmplx"

	"github.com/tstore/tstore/dtype"
)

// maxNumberBits bounds integers without a type, so that 9**9**9 is an error and not an hour.
const maxNumberBits = 4096

// A numberOp is an operator on numbers without types, by the rules of Python.
type numberOp struct {
	ints     func(a, b *big.Int) (number, error)
	floats   func(a, b float64) (number, error)
	complexs func(a, b complex128) (number, error)
}

var errNumberTooLarge = fmt.Errorf("an integer of more than %d bits", maxNumberBits)

// apply returns the operation on two numbers, in the kind that they meet in.
func (op *numberOp) apply(a, b number) (number, error) {
	kind := max(meetingKind(a.kind), meetingKind(b.kind))
	switch {
	case kind == dtype.KindInt && op.ints != nil:
		return checkBits(op.ints(a.i, b.i))
	case kind <= dtype.KindFloat && op.floats != nil:
		x, err1 := a.float()
		y, err2 := b.float()
		if err := errors.Join(err1, err2); err != nil {
			return number{}, err
		}
		return op.floats(x, y)
	case op.complexs != nil:
		x, err1 := a.complex()
		y, err2 := b.complex()
		if err := errors.Join(err1, err2); err != nil {
			return number{}, err
		}
		return op.complexs(x, y)
	}
	return number{}, fmt.Errorf("no such operation on %v and %v", a, b)
}

// meetingKind returns the kind in which a number of some kind is computed with.
func meetingKind(k dtype.Kind) dtype.Kind {
	if k == dtype.KindBool {
		return dtype.KindInt
	}
	return k
}

func checkBits(n number, err error) (number, error) {
	if err == nil && n.i != nil && n.i.BitLen() > maxNumberBits {
		return number{}, errNumberTooLarge
	}
	return n, err
}

var errNumberByZero = errors.New("division by zero")

// arithmetic makes a numberOp of functions that do not fail.
func arithmetic(ints func(z, a, b *big.Int) *big.Int, floats func(a, b float64) float64, complexs func(a, b complex128) complex128) *numberOp {
	return &numberOp{
		ints:     func(a, b *big.Int) (number, error) { return intNumber(ints(new(big.Int), a, b)), nil },
		floats:   func(a, b float64) (number, error) { return floatNumber(floats(a, b)), nil },
		complexs: func(a, b complex128) (number, error) { return complexNumber(complexs(a, b)), nil },
	}
}

var (
	addNumbers = arithmetic((*big.Int).Add,
		func(a, b float64) float64 { return a + b }, func(a, b complex128) complex128 { return a + b })
	subNumbers = arithmetic((*big.Int).Sub,
		func(a, b float64) float64 { return a - b }, func(a, b complex128) complex128 { return a - b })
	mulNumbers = arithmetic((*big.Int).Mul,
		func(a, b float64) float64 { return a * b }, func(a, b complex128) complex128 { return a * b })

	divNumbers = &numberOp{
		ints: func(a, b *big.Int) (number, error) {
			if b.Sign() == 0 {
				return number{}, errNumberByZero
			}
			f, _ := new(big.Rat).SetFrac(a, b).Float64()
			if math.IsInf(f, 0) {
				return number{}, fmt.Errorf("quotient: %w for a float", dtype.ErrRange)
			}
			return floatNumber(f), nil
		},
		floats: func(a, b float64) (number, error) {
			if b == 0 {
				return number{}, errNumberByZero
			}
			return floatNumber(a / b), nil
		},
		complexs: func(a, b complex128) (number, error) {
			if b == 0 {
				return number{}, errNumberByZero
			}
			return complexNumber(a / b), nil
		},
	}

	floorDivNumbers = &numberOp{
		ints: func(a, b *big.Int) (number, error) {
			q, _, err := floorDivMod(a, b)
			return intNumber(q), err
		},
		floats: func(a, b float64) (number, error) {
			if b == 0 {
				return number{}, errNumberByZero
			}
			return floatNumber(math.Floor((a - floatMod(a, b)) / b)), nil
		},
	}

	modNumbers = &numberOp{
		ints: func(a, b *big.Int) (number, error) {
			_, m, err := floorDivMod(a, b)
			return intNumber(m), err
		},
		floats: func(a, b float64) (number, error) {
			if b == 0 {
				return number{}, errNumberByZero
			}
			return floatNumber(floatMod(a, b)), nil
		},
	}

	powNumbers = &numberOp{ints: powInts, floats: powFloats, complexs: func(a, b complex128) (number, error) {
		return complexNumber(cmplx.Pow(a, b)), nil
	}}

	shlNumbers = &numberOp{ints: func(a, b *big.Int) (number, error) {
		n, err := shiftCount(b)
		if err != nil || int(n)+a.BitLen() > maxNumberBits {
			return number{}, errors.Join(err, errNumberTooLarge)
		}
		return intNumber(new(big.Int).Lsh(a, n)), nil
	}}
	shrNumbers = &numberOp{ints: func(a, b *big.Int) (number, error) {
		n, err := shiftCount(b)
		return intNumber(new(big.Int).Rsh(a, n)), err
	}}
)

// floorDivMod divides towards minus infinity; the rest has the sign of b.
func floorDivMod(a, b *big.Int) (q, m *big.Int, err error) {
	if b.Sign() == 0 {
		return nil, nil, errNumberByZero
	}
	q, m = new(big.Int).QuoRem(a, b, new(big.Int))
	if m.Sign() != 0 && m.Sign() != b.Sign() {
		q.Sub(q, bigInt(1))
		m.Add(m, b)
	}
	return q, m, nil
}

// floatMod returns the remainder of a division that rounds towards minus infinity. It has the sign
// of b.
func floatMod(a, b float64) float64 {
	m := math.Mod(a, b)
	if m == 0 {
		return math.Copysign(0, b)
	}
	if (m < 0) != (b < 0) {
		m += b
	}
	return m
}

func powInts(a, b *big.Int) (number, error) {
	switch {
	case b.Sign() < 0 && a.Sign() == 0:
		return number{}, errors.New("0 to a negative power")
	case b.Sign() < 0:
		x, _ := new(big.Float).SetInt(a).Float64()
		y, _ := new(big.Float).SetInt(b).Float64()
		return floatNumber(math.Pow(x, y)), nil
	case a.BitLen() <= 1 && b.BitLen() > 1: // -1, 0 or 1: only that b is odd matters
		b = new(big.Int).Add(bigInt(2), new(big.Int).And(b, bigInt(1)))
	case a.BitLen() > 1 && (b.BitLen() > 16 || int(b.Int64())*(a.BitLen()-1) > maxNumberBits):
		return number{}, errNumberTooLarge
	}
	return intNumber(new(big.Int).Exp(a, b, nil)), nil
}

func powFloats(a, b float64) (number, error) {
	switch {
	case a == 0 && b < 0:
		return number{}, errors.New("0 to a negative power")
	case a < 0 && b != math.Floor(b):
		return complexNumber(cmplx.Pow(complex(a, 0), complex(b, 0))), nil
	}
	return floatNumber(math.Pow(a, b)), nil
}

func shiftCount(b *big.Int) (uint, error) {
	if b.Sign() < 0 || b.BitLen() > 16 {
		return 0, fmt.Errorf("a shift by %v: expected 0 to %d", b, 1<<16-1)
	}
	return uint(b.Int64()), nil
}

// bits makes a numberOp of one on bits, which leaves bools bools.
func bitsOfNumbers(op func(z, a, b *big.Int) *big.Int) func(a, b number) (number, error) {
	return func(a, b number) (number, error) {
		if a.i == nil || b.i == nil {
			return number{}, fmt.Errorf("no such operation on %v and %v: expected integers", a, b)
		}
		z := intNumber(op(new(big.Int), a.i, b.i))
		if a.kind == dtype.KindBool && b.kind == dtype.KindBool {
			z.kind = dtype.KindBool
		}
		return z, nil
	}
}

// compareNumbers makes a comparison of numbers. holds decides by the order of the two. Complex
// numbers have no order but equality: holds gets 0 for equal ones, else 2.
func compareNumbers(ordered bool, holds func(order int) bool) func(a, b number) (number, error) {
	return func(a, b number) (number, error) {
		if a.kind == dtype.KindComplex || b.kind == dtype.KindComplex {
			x, err1 := a.complex()
			y, err2 := b.complex()
			if err := errors.Join(err1, err2); err != nil || ordered {
				return number{}, errors.Join(err, errors.New("complex numbers have no order"))
			}
			return boolNumber(holds(boolOrder(x == y))), nil
		}
		return boolNumber(holds(orderNumbers(a, b))), nil
	}
}

func boolOrder(equal bool) int {
	if equal {
		return 0
	}
	return unordered
}

// unordered is the order of NaN and anything else.
const unordered = 2

// orderNumbers returns -1, 0 or 1 as a is less than b, equal to it or greater, exactly.
func orderNumbers(a, b number) int {
	if a.i != nil && b.i != nil {
		return a.i.Cmp(b.i)
	}
	x, y := a.bigFloat(), b.bigFloat()
	if x == nil || y == nil {
		return unordered
	}
	return x.Cmp(y)
}

// bigFloat returns n exactly, nil for NaN.
func (n number) bigFloat() *big.Float {
	if n.i != nil {
		return new(big.Float).SetPrec(maxNumberBits + 64).SetInt(n.i)
	}
	if f := real(n.c); f == f {
		return new(big.Float).SetFloat64(f)
	}
	return nil
}

// negNumber, posNumber and invertNumber are the operators with one operand.
func negNumber(n number) (number, error) {
	if n.i != nil {
		return intNumber(new(big.Int).Neg(n.i)), nil
	}
	if n.kind == dtype.KindFloat {
		return floatNumber(-real(n.c)), nil
	}
	return complexNumber(-n.c), nil
}

func posNumber(n number) (number, error) {
	if n.i != nil {
		return intNumber(n.i), nil
	}
	return n, nil
}

func invertNumber(n number) (number, error) {
	if n.i == nil {
		return number{}, fmt.Errorf("~ of %v: expected an integer", n)
	}
	return intNumber(new(big.Int).Not(n.i)), nil
}
