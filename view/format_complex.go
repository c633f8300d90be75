package view

import (
	"bytes"

	"github.com/tstore/tstore/dtype"
)

// complexFormat is NumPy's ComplexFloatingFormat: both parts are formatted on their own, the
// imaginary one always with a sign.
type complexFormat struct {
	re, im floatFormat
	part   dtype.Type
}

func newComplexFormat(t dtype.Type, o PrintOptions) *complexFormat {
	part := dtype.Float64
	if t == dtype.Complex64 {
		part = dtype.Float32
	}
	return &complexFormat{
		re:   floatFormat{opts: o, limits: limitsOf(part)},
		im:   floatFormat{opts: o, limits: limitsOf(part), plusSign: true},
		part: part,
	}
}

// split returns the real and the imaginary part, exactly.
func (f *complexFormat) split(v dtype.Scalar) (re, im dtype.Scalar) {
	c := v.Complex128()
	return dtype.ScalarOf(real(c)).Convert(f.part), dtype.ScalarOf(imag(c)).Convert(f.part)
}

func (f *complexFormat) observe(v dtype.Scalar) {
	re, im := f.split(v)
	f.re.observe(re)
	f.im.observe(im)
}

// append puts the j before the spaces that the imaginary part ends with.
func (f *complexFormat) append(dst []byte, v dtype.Scalar) []byte {
	re, im := f.split(v)
	dst = f.re.append(dst, re)
	dst = f.im.append(dst, im)
	end := len(bytes.TrimRight(dst, " "))
	dst = append(dst, ' ')
	dst[end] = 'j'
	return dst
}
