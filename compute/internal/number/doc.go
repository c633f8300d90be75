// Package number computes with numbers that are written without a type, by the rules of Python: a
// bool, an integer of any size, a float64 or a complex128. A number takes the type of the operand
// that it meets (NumPy's NEP 50), and it is an error if that type cannot hold it.
//
// A [Number] is an immutable value. Integers are exact up to 4096 bits, beyond which an operation is
// an error, so that hostile text costs little.
package number
