package dtype_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/tstore/tstore/dtype"
)

func TestParseScalar(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		typ  dtype.Type
		text string
		want dtype.Scalar
	}{
		{dtype.Bool, "True", dtype.ScalarOf(true)},
		{dtype.Bool, " false ", dtype.ScalarOf(false)},
		{dtype.Bool, "1", dtype.ScalarOf(true)},
		{dtype.Int8, "-128", dtype.ScalarOf[int8](-128)},
		{dtype.Int8, "+127", dtype.ScalarOf[int8](127)},
		{dtype.Int64, "-9223372036854775808", dtype.ScalarOf[int64](math.MinInt64)},
		{dtype.Int64, "9223372036854775807", dtype.ScalarOf[int64](math.MaxInt64)},
		{dtype.Uint64, "18446744073709551615", dtype.ScalarOf[uint64](math.MaxUint64)},
		{dtype.Uint64, "+9007199254740993", dtype.ScalarOf[uint64](1<<53 + 1)},
		{dtype.Uint8, "-0", dtype.ScalarOf[uint8](0)},
		{dtype.Uint8, "007", dtype.ScalarOf[uint8](7)},
		{dtype.Float64, "1e3", dtype.ScalarOf(1000.0)},
		{dtype.Float64, "-.5", dtype.ScalarOf(-0.5)},
		{dtype.Float64, "-0", dtype.ScalarOf(math.Copysign(0, -1))},
		{dtype.Float64, "1e-400", dtype.ScalarOf(0.0)},
		{dtype.Float64, "inf", dtype.ScalarOf(math.Inf(1))},
		{dtype.Float64, "-Infinity", dtype.ScalarOf(math.Inf(-1))},
		{dtype.Float64, "NaN", dtype.ScalarOf(nan)},
		{dtype.Float64, "-nan", dtype.ScalarOf(math.Copysign(nan, -1))},
		{dtype.Float32, "0.1", dtype.ScalarOf[float32](0.1)},
		// The decimals lie just above a tie, on which float64 puts them.
		{dtype.Float32, "1.00000005960464477539062500001", dtype.ScalarOf[float32](1 + 0x1p-23)},
		{dtype.Float16, "1.000488281250000000000000001", dtype.ScalarOf[dtype.F16](0x3c01)},
		{dtype.Float16, "1.00048828125", dtype.ScalarOf[dtype.F16](0x3c00)},
		{dtype.Float16, "-1.001464843749999999999999999", dtype.ScalarOf[dtype.F16](0xbc01)},
		{dtype.Float16, "65519.99999999999999999", dtype.ScalarOf[dtype.F16](0x7bff)},
		{dtype.Float16, "2.98023223876953125000000001e-8", dtype.ScalarOf[dtype.F16](1)},
		{dtype.Float16, "2.98023223876953125e-8", dtype.ScalarOf[dtype.F16](0)},
		{dtype.BFloat16, "1.00390625000000000000001", dtype.ScalarOf[dtype.BF16](0x3f81)},
		{dtype.Float8E4M3FN, "464", dtype.ScalarOf[dtype.F8E4M3FN](0x7e)},
		{dtype.Float8E4M3FN, "nan", dtype.ScalarOf[dtype.F8E4M3FN](0x7f)},
		{dtype.Float8E5M2, "-inf", dtype.ScalarOf[dtype.F8E5M2](0xfc)},
		{dtype.Complex128, "1+2j", dtype.ScalarOf(1 + 2i)},
		{dtype.Complex128, "(1.5e+3-2.5E-1j)", dtype.ScalarOf(1500 - 0.25i)},
		{dtype.Complex128, "( 3 )", dtype.ScalarOf(3 + 0i)},
		{dtype.Complex128, "-j", dtype.ScalarOf(complex(0, -1))},
		{dtype.Complex128, "2+J", dtype.ScalarOf(2 + 1i)},
		{dtype.Complex128, "1e+5j", dtype.ScalarOf(1e5i)},
		{dtype.Complex128, "(-0-0j)", dtype.ScalarOf(complex(math.Copysign(0, -1), math.Copysign(0, -1)))},
		{dtype.Complex128, "nan+infj", dtype.ScalarOf(complex(nan, math.Inf(1)))},
		{dtype.Complex128, "(1+nanj)", dtype.ScalarOf(complex(1, nan))},
		{dtype.Complex64, "0.1+0.2j", dtype.ScalarOf[complex64](0.1 + 0.2i)},
	}
	for _, test := range tests {
		t.Run(test.typ.String()+"/"+test.text, func(t *testing.T) {
			got, err := dtype.ParseScalar(test.typ, test.text)
			if err != nil {
				t.Fatal(err)
			}
			if !same(got, test.want) {
				t.Errorf("got %s, want %s", show(got), show(test.want))
			}
		})
	}
}

func TestParseScalarErrors(t *testing.T) {
	tests := []struct {
		typ  dtype.Type
		text string
		want string
	}{
		{dtype.Bool, "yes", `"yes" as bool: expected True or False`},
		{dtype.Int8, "300", `"300" as int8: out of range: int8 holds -128 to 127`},
		{dtype.Int64, "9223372036854775808", "int64 holds -9223372036854775808 to 9223372036854775807"},
		{dtype.Uint8, "-1", "uint8 holds 0 to 255"},
		{dtype.Uint64, "18446744073709551616", "uint64 holds 0 to 18446744073709551615"},
		{dtype.Int32, "1.5", "expected a decimal integer"},
		{dtype.Int32, "1_000", "expected a decimal integer"},
		{dtype.Int32, "", "expected a decimal integer"},
		{dtype.Uint16, "+-1", "expected a decimal integer"},
		{dtype.Uint16, "0x1", "expected a decimal integer"},
		{dtype.Float64, "1e400", "float64 holds -1.7976931348623157e+308 to 1.7976931348623157e+308, inf and nan"},
		{dtype.Float32, "-3.5e38", "float32 holds -3.4028235e+38 to 3.4028235e+38, inf and nan"},
		{dtype.Float16, "65520", "float16 holds -6.55e+04 to 6.55e+04, inf and nan"},
		{dtype.Float8E5M2, "1e9999", "float8_e5m2 holds -6e+04 to 6e+04, inf and nan"},
		{dtype.Float8E4M3FN, "464.00000000000000000001", "float8_e4m3fn holds -448.0 to 448.0 and nan, no infinity"},
		{dtype.Float8E4M3FN, "inf", "no infinity"},
		{dtype.Float64, "0x1p3", "expected a decimal number, nan or inf"},
		{dtype.Float64, "1_0", "expected a decimal number, nan or inf"},
		{dtype.Float64, "one", "expected a decimal number, nan or inf"},
		{dtype.Float64, "+-nan", "expected a decimal number, nan or inf"},
		{dtype.Complex64, "(1+2j", "expected ')' at the end"},
		{dtype.Complex64, "1e39j", "imaginary part: out of range: float32 holds"},
		{dtype.Complex128, "x+2j", "real part: expected a decimal number"},
		{dtype.Invalid, "1", "not an element type"},
		{dtype.Float64, strings.Repeat("1", 1025), "1025 characters: at most 1024"},
	}
	for _, test := range tests {
		t.Run(test.typ.String()+"/"+test.text, func(t *testing.T) {
			got, err := dtype.ParseScalar(test.typ, test.text)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v and error %v, want %q", got, err, test.want)
			}
			if got != (dtype.Scalar{}) {
				t.Errorf("got %s with an error", show(got))
			}
			if errors.Is(err, dtype.ErrRange) != strings.Contains(test.want, "holds") && !strings.Contains(test.want, "infinity") {
				t.Errorf("%v: ErrRange is %v", err, errors.Is(err, dtype.ErrRange))
			}
		})
	}
}

// TestStringParsesBack covers every pattern of up to 16 bits, and samples of the rest.
func TestStringParsesBack(t *testing.T) {
	rng := newRand()
	for _, typ := range dtype.All() {
		t.Run(typ.String(), func(t *testing.T) {
			var all []dtype.Scalar
			if typ.Size() <= 2 {
				for code := range 1 << (8 * typ.Size()) {
					all = append(all, fromWords(typ, uint64(code), 0))
				}
			} else {
				all = samples(typ, rng, 500)
			}
			for _, s := range all {
				got, err := dtype.ParseScalar(typ, s.String())
				if err != nil || !same(got, s) && !isNaN(s) {
					t.Fatalf("%s reads back as %v, %v", show(s), got, err)
				}
			}
		})
	}
}

// isNaN reports whether a part is a NaN, whose sign is not printed.
func isNaN(s dtype.Scalar) bool {
	re, im := decode(s)
	return re.nan || im.nan
}

func TestShortest(t *testing.T) {
	tests := []struct {
		s    dtype.Scalar
		want string
	}{
		{dtype.ScalarOf(dtype.ToBF16(0.1)), "0.1"},
		{dtype.ScalarOf(dtype.ToBF16(300)), "300.0"},
		{dtype.ScalarOf(dtype.ToBF16(29952)), "3e+04"},
		{dtype.ScalarOf(dtype.ToBF16(-1e-30)), "-1e-30"},
		{dtype.ScalarOf(dtype.ToF8E4M3FN(448)), "448.0"},
		{dtype.ScalarOf(dtype.ToF8E4M3FN(0.1)), "0.1"},
		{dtype.ScalarOf(dtype.F8E4M3FN(0xff)), "nan"},
		{dtype.ScalarOf(dtype.F8E5M2(0x7c)), "inf"},
		{dtype.ScalarOf(dtype.F8E5M2(0x80)), "-0.0"},
		{dtype.ScalarOf(dtype.F16(0x2400)), "0.01563"}, // 0.015625: 0.01562 is the number below
		{dtype.ScalarOf[float32](0x1p-12), "0.00024414062"},
		{dtype.Scalar{}, "invalid"},
	}
	for _, test := range tests {
		if got := test.s.String(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

func TestSmallFloatsPrint(t *testing.T) {
	got := fmt.Sprint(dtype.ToF16(0.1), dtype.ToBF16(-2), dtype.ToF8E4M3FN(448), dtype.ToF8E5M2(1.5))
	if want := "0.1 -2.0 448.0 1.5"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAppendFloat(t *testing.T) {
	tests := []struct {
		s    dtype.Scalar
		form byte
		prec int
		want string
	}{
		{dtype.ScalarOf(dtype.ToF16(65504)), 'f', -1, "65500"},
		{dtype.ScalarOf(dtype.ToF16(0.1)), 'f', 8, "0.09997559"},
		{dtype.ScalarOf[float32](0.1), 'e', -1, "1e-01"},
		{dtype.ScalarOf[float32](0.1), 'f', 4, "0.1000"},
		{dtype.ScalarOf(1.5), 'g', -1, "1.5"},
		{dtype.ScalarOf(math.Inf(-1)), 'e', 3, "-inf"},
		{dtype.ScalarOf[int8](-3), 'f', 1, "-3.0"},
	}
	for _, test := range tests {
		if got := string(test.s.AppendFloat([]byte("="), test.form, test.prec)); got != "="+test.want {
			t.Errorf("%s as %c %d: got %q, want %q", show(test.s), test.form, test.prec, got, test.want)
		}
	}
}

func TestScalarViews(t *testing.T) {
	tests := []struct {
		name    string
		s       dtype.Scalar
		any     any
		float   float64
		integer int64
		exact   bool
		zero    bool
	}{
		{"bool", dtype.ScalarOf(true), true, 1, 1, true, false},
		{"int8", dtype.ScalarOf[int8](-3), int8(-3), -3, -3, true, false},
		{"int16", dtype.ScalarOf[int16](-300), int16(-300), -300, -300, true, false},
		{"int32", dtype.ScalarOf[int32](-70000), int32(-70000), -70000, -70000, true, false},
		{"int64", dtype.ScalarOf[int64](1<<53 + 1), int64(1<<53 + 1), 1 << 53, 1<<53 + 1, true, false},
		{"uint8", dtype.ScalarOf[uint8](0), uint8(0), 0, 0, true, true},
		{"uint16", dtype.ScalarOf[uint16](65535), uint16(65535), 65535, 65535, true, false},
		{"uint32", dtype.ScalarOf[uint32](1 << 31), uint32(1 << 31), 1 << 31, 1 << 31, true, false},
		{"uint64", dtype.ScalarOf[uint64](1<<63 + 5), uint64(1<<63 + 5), 1 << 63, math.MinInt64 + 5, false, false},
		{"float16", dtype.ScalarOf(dtype.ToF16(1.5)), dtype.F16(0x3e00), 1.5, 1, false, false},
		{"bfloat16", dtype.ScalarOf(dtype.ToBF16(-2)), dtype.BF16(0xc000), -2, -2, true, false},
		{"float8_e4m3fn", dtype.ScalarOf(dtype.ToF8E4M3FN(2)), dtype.F8E4M3FN(0x40), 2, 2, true, false},
		{"float8_e5m2", dtype.ScalarOf(dtype.ToF8E5M2(2)), dtype.F8E5M2(0x40), 2, 2, true, false},
		{"float32", dtype.ScalarOf[float32](0x1p63), float32(0x1p63), 0x1p63, math.MinInt64, false, false},
		{"float64", dtype.ScalarOf(-0x1p63), -0x1p63, -0x1p63, math.MinInt64, true, false},
		{"negative zero", dtype.ScalarOf(math.Copysign(0, -1)), math.Copysign(0, -1), 0, 0, true, true},
		{"complex64", dtype.ScalarOf[complex64](3 + 0i), complex64(3 + 0i), 3, 3, true, false},
		{"complex128", dtype.ScalarOf(0 + 2i), 0 + 2i, 0, 0, false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.s.Any(); got != test.any {
				t.Errorf("Any is %T %v, want %T %v", got, got, test.any, test.any)
			}
			if got := test.s.Float64(); got != test.float {
				t.Errorf("Float64 is %v, want %v", got, test.float)
			}
			if got, exact := test.s.Int64(); got != test.integer || exact != test.exact {
				t.Errorf("Int64 is %v, %v, want %v, %v", got, exact, test.integer, test.exact)
			}
			if got := test.s.IsZero(); got != test.zero {
				t.Errorf("IsZero is %v, want %v", got, test.zero)
			}
			if got := test.s.Complex128(); real(got) != test.float {
				t.Errorf("Complex128 is %v, want the real part %v", got, test.float)
			}
		})
	}
	nan := dtype.ScalarOf(math.NaN())
	if _, exact := nan.Int64(); exact || nan.IsZero() || nan != dtype.ScalarOf(math.NaN()) {
		t.Error("NaN is an integer, or zero, or differs from itself")
	}
}

func TestZeroScalar(t *testing.T) {
	var s dtype.Scalar
	_, exact := s.Int64()
	if s.Type() != dtype.Invalid || s.Any() != nil || !math.IsNaN(s.Float64()) || exact || !s.IsZero() {
		t.Errorf("the zero Scalar is %v %v %v", s.Type(), s.Any(), s.Float64())
	}
	for name, misuse := range map[string]func(){
		"store":        func() { s.Store(make([]byte, 16)) },
		"convert":      func() { s.Convert(dtype.Int8) },
		"load":         func() { dtype.Load(dtype.Invalid, make([]byte, 16)) },
		"load short":   func() { dtype.Load(dtype.Float64, make([]byte, 7)) },
		"store short":  func() { dtype.ScalarOf(1.0).Store(make([]byte, 7)) },
		"to invalid":   func() { dtype.ScalarOf(1.0).Convert(dtype.Invalid) },
		"zero to zero": func() { s.Convert(dtype.Invalid) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if r, _ := recover().(string); !strings.HasPrefix(r, "BUG: ") {
					t.Errorf("recovered %q, want a BUG", r)
				}
			}()
			misuse()
		})
	}
}

// TestParseExactly compares with rounding the decimal as a rational number.
func TestParseExactly(t *testing.T) {
	rng := newRand()
	for typ, format := range formats {
		for range 300 {
			code := rng.Uint64N(format.overflow())
			text := aroundMiddle(format, code, rng.IntN(3)-1)
			r, ok := new(big.Rat).SetString(text)
			if !ok {
				t.Fatalf("%q is not a decimal", text)
			}
			want := fromWords(typ, format.encode(number{abs: exact().SetRat(r)}), 0)
			got, err := dtype.ParseScalar(typ, text)
			if code+1 == format.overflow() && errors.Is(err, dtype.ErrRange) {
				continue
			}
			if err != nil || got != want {
				t.Fatalf("%v %s is %v, %v, want %s", typ, text, got, err, show(want))
			}
		}
	}
}

// aroundMiddle spells the number between code and the next, or a little below or above.
func aroundMiddle(f ieee, code uint64, side int) string {
	a, b := f.decode(code).abs, f.decode(code+1).abs
	if b.IsInf() || f.decode(code+1).nan {
		b = a
	}
	middle := exact().Quo(exact().Add(a, b), big.NewFloat(2))
	nudge := exact().SetMantExp(middle, -700)
	if side < 0 {
		nudge.Neg(nudge)
	}
	if side != 0 {
		middle.Add(middle, nudge)
	}
	return middle.Text('e', 900)
}
