package kernel

// SingleConstants are the numbers in the functions of float32s that work on float32s alone, under
// the names that they have there: for machine code that takes the same steps.
type SingleConstants struct {
	Log2E, Ln2Hi, Ln2Lo, RoundBias                         float32
	ExpMin, ExpMax, Expm1Min, Exp2Min, Exp2Max, SigmoidMax float32
	ExpPoly, Expm1Poly, Exp2Poly                           []float32

	Ln2Head, Ln2Rest, Log2ELo, Log10E, Log10ELo, Log10Head, Log10Rest float32
	LogPoly, Log2Poly, Log10Poly                                      []float32

	TanhMax, TanhShift, TanhLow float32
	TanhMiddle, TanhHead        *[16]float32
	TanhPoly                    *[6][16]float32
}

// Singles returns the constants of float32s. The tables must not be changed.
func Singles() SingleConstants {
	return SingleConstants{
		Log2E: log2E32, Ln2Hi: ln2Hi32, Ln2Lo: ln2Lo32, RoundBias: roundBias32,
		ExpMin: expMin32, ExpMax: expMax32, Expm1Min: expm1Min32, Exp2Min: exp2Min32, Exp2Max: exp2Max32, SigmoidMax: sigmoidMax32,
		ExpPoly: expPolySingle[:], Expm1Poly: expm1PolySingle[:], Exp2Poly: exp2PolySingle[:],
		Ln2Head: ln2Head32, Ln2Rest: ln2Rest32, Log2ELo: log2ELo32, Log10E: log10E32, Log10ELo: log10ELo32, Log10Head: log10Head32, Log10Rest: log10Rest32,
		LogPoly: logPolySingle[:], Log2Poly: log2PolySingle[:], Log10Poly: log10PolySingle[:],
		TanhMax: tanhMax32, TanhShift: tanhShift32, TanhLow: tanhLow32,
		TanhMiddle: &tanhMiddle32, TanhHead: &tanhHead32, TanhPoly: &tanhPolySingle,
	}
}

// DoubleConstants are the numbers in the functions of float64s.
type DoubleConstants struct {
	Log2E, Ln2Hi, Ln2Lo, RoundBias, ExpMin, ExpMax, Exp2Min, Exp2Max float64
	Expm1Min, Linear, TanhMax, TanhLate                              float64
	ExpPoly                                                          []float64

	Ln2Head, Ln2Rest, Log2ELo, Log10E, Log10ELo, Log10Head, Log10Rest float64
	AtanhPoly                                                         []float64
}

// Doubles returns the constants of float64s. The tables must not be changed.
func Doubles() DoubleConstants {
	return DoubleConstants{
		Log2E: log2E, Ln2Hi: ln2Hi, Ln2Lo: ln2Lo, RoundBias: roundBias,
		ExpMin: expMin, ExpMax: expMax, Exp2Min: exp2Min, Exp2Max: exp2Max,
		Expm1Min: expm1Min, Linear: linear, TanhMax: tanhMax, TanhLate: tanhLate,
		ExpPoly: expPoly[:],
		Ln2Head: ln2Head, Ln2Rest: ln2Rest, Log2ELo: log2ELo, Log10E: log10EHi, Log10ELo: log10ELo, Log10Head: log10Head, Log10Rest: log10Rest,
		AtanhPoly: atanhPoly[:],
	}
}
