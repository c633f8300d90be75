package kernel

import "math"

var (
	tanhMax32   float32 = 9.2 // where tanh has become 1
	tanhShift32 float32 = 0.625
	tanhLow32   float32 = 0.75 // up to there with tanhShift32, tanh(x) = x + x·p(x)
)

// tanhSingle takes one of sixteen polynomials.
func tanhSingle(x float32) float32 {
	t := clamp(float32(math.Abs(float64(x))), 0, tanhMax32)
	shifted := t + tanhShift32
	i := math.Float32bits(shifted) >> 21 % 16
	d := t - tanhMiddle32[i]
	p := tanhPolySingle[5][i]
	for j := 4; j >= 0; j-- {
		p = fma32(p, d, tanhPolySingle[j][i])
	}
	head := tanhHead32[i]
	if shifted < tanhLow32 {
		head = t
	}
	return copySign32(fma32(p, d, head), x)
}
