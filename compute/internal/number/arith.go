package number

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/cmplx"

	"github.com/tstore/tstore/dtype"
)

// maxBits bounds integers without a type, so that 9**9**9 is an error and not an hour.
const maxBits = 4096

// An Op is an operator on numbers without types, by the rules of Python.
type Op struct {
	ints     func(a, b *big.Int) (Number, error)
	floats   func(a, b float64) (Number, error)
	complexs func(a, b complex128) (Number, error)
}

var errTooLarge = fmt.Errorf("an integer of more than %d bits", maxBits)

// Apply returns the operation on two numbers, in the kind that they meet in.
func (op *Op) Apply(a, b Number) (Number, error) {
	kind := max(meetingKind(a.Kind), meetingKind(b.Kind))
	switch {
	case kind == dtype.KindInt && op.ints != nil:
		return checkBits(op.ints(a.Int, b.Int))
	case kind <= dtype.KindFloat && op.floats != nil:
		x, err1 := a.Float64()
		y, err2 := b.Float64()
		if err := errors.Join(err1, err2); err != nil {
			return Number{}, err
		}
		return op.floats(x, y)
	case op.complexs != nil:
		x, err1 := a.complex()
		y, err2 := b.complex()
		if err := errors.Join(err1, err2); err != nil {
			return Number{}, err
		}
		return op.complexs(x, y)
	}
	return Number{}, fmt.Errorf("no such operation on %v and %v", a, b)
}

// meetingKind returns the kind in which a number of some kind is computed with.
func meetingKind(k dtype.Kind) dtype.Kind {
	if k == dtype.KindBool {
		return dtype.KindInt
	}
	return k
}

func checkBits(n Number, err error) (Number, error) {
	if err == nil && n.Int != nil && n.Int.BitLen() > maxBits {
		return Number{}, errTooLarge
	}
	return n, err
}

var errByZero = errors.New("division by zero")

// arithmetic makes a numberOp of functions that do not fail.
func arithmetic(ints func(z, a, b *big.Int) *big.Int, floats func(a, b float64) float64, complexs func(a, b complex128) complex128) *Op {
	return &Op{
		ints:     func(a, b *big.Int) (Number, error) { return Int(ints(new(big.Int), a, b)), nil },
		floats:   func(a, b float64) (Number, error) { return Float(floats(a, b)), nil },
		complexs: func(a, b complex128) (Number, error) { return Complex(complexs(a, b)), nil },
	}
}

var (
	Add = arithmetic((*big.Int).Add,
		func(a, b float64) float64 { return a + b }, func(a, b complex128) complex128 { return a + b })
	Sub = arithmetic((*big.Int).Sub,
		func(a, b float64) float64 { return a - b }, func(a, b complex128) complex128 { return a - b })
	Mul = arithmetic((*big.Int).Mul,
		func(a, b float64) float64 { return a * b }, func(a, b complex128) complex128 { return a * b })

	Div = &Op{
		ints: func(a, b *big.Int) (Number, error) {
			if b.Sign() == 0 {
				return Number{}, errByZero
			}
			f, _ := new(big.Rat).SetFrac(a, b).Float64()
			if math.IsInf(f, 0) {
				return Number{}, fmt.Errorf("quotient: %w for a float", dtype.ErrRange)
			}
			return Float(f), nil
		},
		floats: func(a, b float64) (Number, error) {
			if b == 0 {
				return Number{}, errByZero
			}
			return Float(a / b), nil
		},
		complexs: func(a, b complex128) (Number, error) {
			if b == 0 {
				return Number{}, errByZero
			}
			return Complex(a / b), nil
		},
	}

	FloorDiv = &Op{
		ints: func(a, b *big.Int) (Number, error) {
			q, _, err := FloorDivMod(a, b)
			return Int(q), err
		},
		floats: func(a, b float64) (Number, error) {
			if b == 0 {
				return Number{}, errByZero
			}
			return Float(math.Floor((a - floatMod(a, b)) / b)), nil
		},
	}

	Mod = &Op{
		ints: func(a, b *big.Int) (Number, error) {
			_, m, err := FloorDivMod(a, b)
			return Int(m), err
		},
		floats: func(a, b float64) (Number, error) {
			if b == 0 {
				return Number{}, errByZero
			}
			return Float(floatMod(a, b)), nil
		},
	}

	Pow = &Op{ints: powInts, floats: powFloats, complexs: func(a, b complex128) (Number, error) {
		return Complex(cmplx.Pow(a, b)), nil
	}}

	Shl = &Op{ints: func(a, b *big.Int) (Number, error) {
		n, err := shiftCount(b)
		if err != nil || int(n)+a.BitLen() > maxBits {
			return Number{}, errors.Join(err, errTooLarge)
		}
		return Int(new(big.Int).Lsh(a, n)), nil
	}}
	Shr = &Op{ints: func(a, b *big.Int) (Number, error) {
		n, err := shiftCount(b)
		return Int(new(big.Int).Rsh(a, n)), err
	}}
)

// FloorDivMod divides towards minus infinity; the rest has the sign of b.
func FloorDivMod(a, b *big.Int) (q, m *big.Int, err error) {
	if b.Sign() == 0 {
		return nil, nil, errByZero
	}
	q, m = new(big.Int).QuoRem(a, b, new(big.Int))
	if m.Sign() != 0 && m.Sign() != b.Sign() {
		q.Sub(q, big.NewInt(1))
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

func powInts(a, b *big.Int) (Number, error) {
	switch {
	case b.Sign() < 0 && a.Sign() == 0:
		return Number{}, errors.New("0 to a negative power")
	case b.Sign() < 0:
		x, _ := new(big.Float).SetInt(a).Float64()
		y, _ := new(big.Float).SetInt(b).Float64()
		return Float(math.Pow(x, y)), nil
	case a.BitLen() <= 1 && b.BitLen() > 1: // -1, 0 or 1: only that b is odd matters
		b = new(big.Int).Add(big.NewInt(2), new(big.Int).And(b, big.NewInt(1)))
	case a.BitLen() > 1 && (b.BitLen() > 16 || int(b.Int64())*(a.BitLen()-1) > maxBits):
		return Number{}, errTooLarge
	}
	return Int(new(big.Int).Exp(a, b, nil)), nil
}

func powFloats(a, b float64) (Number, error) {
	switch {
	case a == 0 && b < 0:
		return Number{}, errors.New("0 to a negative power")
	case a < 0 && b != math.Floor(b):
		return Complex(cmplx.Pow(complex(a, 0), complex(b, 0))), nil
	}
	return Float(math.Pow(a, b)), nil
}

func shiftCount(b *big.Int) (uint, error) {
	if b.Sign() < 0 || b.BitLen() > 16 {
		return 0, fmt.Errorf("a shift by %v: expected 0 to %d", b, 1<<16-1)
	}
	return uint(b.Int64()), nil
}

// Bits makes an operator on numbers of one on bits. It leaves bools bools.
func Bits(op func(z, a, b *big.Int) *big.Int) func(a, b Number) (Number, error) {
	return func(a, b Number) (Number, error) {
		if a.Int == nil || b.Int == nil {
			return Number{}, fmt.Errorf("no such operation on %v and %v: expected integers", a, b)
		}
		z := Int(op(new(big.Int), a.Int, b.Int))
		if a.Kind == dtype.KindBool && b.Kind == dtype.KindBool {
			z.Kind = dtype.KindBool
		}
		return z, nil
	}
}

// Comparison makes a comparison of numbers. holds decides by the order of the two. Complex
// numbers have no order but equality: holds gets 0 for equal ones, else 2.
func Comparison(ordered bool, holds func(order int) bool) func(a, b Number) (Number, error) {
	return func(a, b Number) (Number, error) {
		if a.Kind == dtype.KindComplex || b.Kind == dtype.KindComplex {
			x, err1 := a.complex()
			y, err2 := b.complex()
			if err := errors.Join(err1, err2); err != nil || ordered {
				return Number{}, errors.Join(err, errors.New("complex numbers have no order"))
			}
			return Bool(holds(boolOrder(x == y))), nil
		}
		return Bool(holds(order(a, b))), nil
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

// order returns -1, 0 or 1 as a is less than b, equal to it or greater, exactly.
func order(a, b Number) int {
	if a.Int != nil && b.Int != nil {
		return a.Int.Cmp(b.Int)
	}
	x, y := a.bigFloat(), b.bigFloat()
	if x == nil || y == nil {
		return unordered
	}
	return x.Cmp(y)
}

// bigFloat returns n exactly, nil for NaN.
func (n Number) bigFloat() *big.Float {
	if n.Int != nil {
		return new(big.Float).SetPrec(maxBits + 64).SetInt(n.Int)
	}
	if f := real(n.Complex); f == f {
		return new(big.Float).SetFloat64(f)
	}
	return nil
}

// Negative returns -n.
func Negative(n Number) (Number, error) {
	if n.Int != nil {
		return Int(new(big.Int).Neg(n.Int)), nil
	}
	if n.Kind == dtype.KindFloat {
		return Float(-real(n.Complex)), nil
	}
	return Complex(-n.Complex), nil
}

// Positive returns +n, which is an integer of a bool.
func Positive(n Number) (Number, error) {
	if n.Int != nil {
		return Int(n.Int), nil
	}
	return n, nil
}

// Invert returns ~n. It returns an error if n is no integer.
func Invert(n Number) (Number, error) {
	if n.Int == nil {
		return Number{}, fmt.Errorf("~ of %v: expected an integer", n)
	}
	return Int(new(big.Int).Not(n.Int)), nil
}
