package kernel

import "github.com/tstore/tstore/dtype"

// ResultType returns the type of the elements that op makes of operands of type t (for Where, the
// type of b and c), or Invalid if op means nothing on t. Of the types that exist only in memory,
// float16, bfloat16 and float8, there is only Copy.
func ResultType(op Op, t dtype.Type) dtype.Type {
	switch {
	case Generic(op, t, 0) == nil:
		return dtype.Invalid
	case op.IsPredicate():
		return dtype.Bool
	case op == Abs || op == Real || op == Imag || op == Angle:
		return t.Part()
	}
	return t
}

// IsPredicate reports whether the results of op are bools whatever its operands are.
func (op Op) IsPredicate() bool {
	return op == Not || op >= IsNaN && op <= SignBit || op >= Equal && op <= GreaterEqual
}
