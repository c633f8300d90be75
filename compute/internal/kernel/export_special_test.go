package kernel

// ComplexSpecials are the functions of complex numbers that are not finite.
var ComplexSpecials = map[string]func(complex128) complex128{
	"sqrt": special(sqrtSpecial), "exp": special(expSpecial), "sinh": special(sinhSpecial), "cosh": special(coshSpecial),
	"tanh": special(tanhSpecial), "acos": special(acosSpecial), "acosh": special(acoshSpecial), "asinh": special(asinhSpecial),
	"atanh": special(atanhSpecial),
}

func special(f func(complexPair) complexPair) func(complex128) complex128 {
	return func(z complex128) complex128 {
		w := f(complexPair{real(z), imag(z)})
		return complex(w.re, w.im)
	}
}
