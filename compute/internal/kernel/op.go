package kernel

// Op is an operation on elements. The comment of each gives its result for operands a, b and c.
// Operands and result are of one type T unless the comment says otherwise.
type Op uint8

// One operand.
const (
	Invalid    Op = iota
	Copy          // a
	Neg           // -a
	Abs           // |a|; of complex numbers their magnitude, a float of half the size
	Sign          // -1, 0 (never -0) or 1, NaN of NaN; of complex numbers a/|a|, 0 of 0
	Square        // a·a
	Reciprocal    // 1/a; of integers towards zero, of 0: 0
	Floor
	Ceil
	Rint // to the nearest integer, ties to even
	Trunc
	Sqrt
	Cbrt
	Exp
	Exp2
	Expm1
	Log
	Log2
	Log10
	Log1p
	Sin
	Cos
	Tan
	Asin
	Acos
	Atan
	Sinh
	Cosh
	Tanh
	Asinh
	Acosh
	Atanh
	Erf
	Erfc
	Sigmoid       // 1/(1 + exp(-a))
	Relu          // a > 0 ? a : 0, NaN of NaN
	Gelu          // a/2 · (1 + erf(a/√2))
	Not           // a == 0, a bool
	Invert        // ^a; of bools the logical not
	IsNaN         // a bool
	IsInf         // a bool
	IsFinite      // a bool
	SignBit       // a bool
	Real          // of complex numbers, a float of half the size
	Imag          // of complex numbers, a float of half the size
	Conj          // of complex numbers
	Angle         // of complex numbers, a float of half the size
	RoundFloat16  // a float32 that a float16 can hold, nearest to the float32 a
	RoundBFloat16 // likewise for bfloat16
	RoundFloat8E4M3FN
	RoundFloat8E5M2

	// Two operands.
	Add
	Sub
	Mul
	Div      // floats and complex numbers only
	FloorDiv // towards minus infinity; of integers by 0: 0
	Mod      // with the sign of b; of integers by 0: 0
	Fmod     // with the sign of a; of integers by 0: 0
	Pow      // of integers by squaring, wrapping; of b < 0: the exact power towards zero, 0 of a = 0
	Min      // a < b ? a : b, so b of 0 and -0, but NaN if either is; of complex numbers, in lexicographic order, a ≤ b ? a : b
	Max      // a > b ? a : b, likewise
	FMin     // a if b is NaN, else a < b ? a : b; of complex numbers also a of equal ones
	FMax     // likewise
	Atan2    // of a/b in the quadrant that the signs say
	Hypot
	CopySign
	NextAfter
	LogAddExp // log(exp(a) + exp(b))
	MulParts  // of complex numbers: the product of the real parts, and that of the imaginary parts
	DivParts  // likewise with quotients
	And       // bitwise; of bools logical
	Or
	Xor
	Shl   // a << b; 0 if b is negative or not below the number of bits
	Shr   // a >> b; all sign bits if b is negative or not below the number of bits
	Equal // the six comparisons make bools
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual

	// Three operands.
	Where // b where the bool a is true, else c; b and c are T
	Clip  // Min(Max(a, b), c)
	NumOps
)

// NumOperands returns how many operands op takes.
func (op Op) NumOperands() int {
	switch {
	case op == Invalid:
		return 0
	case op < Add:
		return 1
	case op < Where:
		return 2
	}
	return 3
}

// Exchangeable reports whether the results are the same with the two operands exchanged: the same
// bits, but for what NaN they are.
func (op Op) Exchangeable() bool {
	switch op {
	case Add, Mul, And, Or, Xor, Equal, NotEqual:
		return true
	}
	return false
}
