package dtype_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/tstore/tstore/dtype"
)

func FuzzParse(f *testing.F) {
	for _, typ := range dtype.All() {
		f.Add(typ.String())
		f.Add(typ.Code())
	}
	for _, text := range []string{">f4", "flaot32", "double", "<d", ">b", "|V2", "long"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		typ, err := dtype.Parse(text)
		if typ.Valid() == (err != nil) {
			t.Fatalf("%q is %v with error %v", text, typ, err)
		}
		if err != nil {
			return
		}
		if again, err := dtype.Parse(typ.String()); again != typ || err != nil {
			t.Fatalf("%q is %v, whose name is %v, %v", text, typ, again, err)
		}
	})
}

func FuzzParseScalar(f *testing.F) {
	for i, text := range []string{"True", "-128", "18446744073709551615", "1e3", "0.1", "nan", "-inf", "1+2j", "(1e5-2.5e-3j)", "-j", "65519.9999", "1e-999999999", "0x1p-2", "1_0"} {
		f.Add(uint8(i), text)
	}
	f.Fuzz(func(t *testing.T, code uint8, text string) {
		typ := dtype.All()[int(code)%len(dtype.All())]
		s, err := dtype.ParseScalar(typ, text)
		if err != nil {
			return
		}
		if s.Type() != typ {
			t.Fatalf("%q as %v is a %v", text, typ, s.Type())
		}
		again, err := dtype.ParseScalar(typ, s.String())
		if err != nil || !same(again, s) && !isNaN(s) {
			t.Fatalf("%q as %v is %s, which reads back as %v, %v", text, typ, show(s), again, err)
		}
		checkExact(t, typ, text, s)
	})
}

// checkExact compares a float with the decimal as a rational number, where that is small.
func checkExact(t *testing.T, typ dtype.Type, text string, s dtype.Scalar) {
	format, isFloat := formats[typ]
	r, ok := smallRat(text)
	if !isFloat || !ok || r.Sign() == 0 {
		return
	}
	value := number{neg: r.Sign() < 0, abs: exact().SetRat(new(big.Rat).Abs(r))}
	if want := fromWords(typ, format.encode(value), 0); s != want {
		t.Fatalf("%q as %v is %s, want %s", text, typ, show(s), show(want))
	}
}

// smallRat reads a decimal of few digits and a short exponent.
func smallRat(text string) (*big.Rat, bool) {
	const most = 40
	f, _, err := big.ParseFloat(text, 10, 64, big.ToNearestEven)
	if len(text) > most || err != nil || f.IsInf() || f.Sign() == 0 || f.MantExp(nil) > 1100 || f.MantExp(nil) < -1100 {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

func FuzzConvert(f *testing.F) {
	f.Add(uint8(0), uint8(1), []byte{0, 1, 2}, uint8(0))
	f.Add(uint8(14), uint8(2), []byte{0, 0, 0, 0, 0xd0, 0x12, 0x73, 0x41}, uint8(1))
	f.Add(uint8(16), uint8(9), []byte("0123456789abcdef"), uint8(9))
	f.Fuzz(func(t *testing.T, a, b uint8, data []byte, skip uint8) {
		all := dtype.All()
		from, to := all[int(a)%len(all)], all[int(b)%len(all)]
		data = data[min(len(data), int(skip&15)):]
		n := len(data) / from.Size()
		src := data[:n*from.Size()]
		dst := alignedBytes(n*to.Size(), int(skip>>4))
		for _, c := range conversions {
			c.bulk(dst, to, src, from)
			for i := range n {
				s := dtype.Load(from, src[i*from.Size():])
				want := c.slowly(s, to)
				if got := dtype.Load(to, dst[i*to.Size():]); !same(got, want) {
					t.Fatalf("%s: %s becomes %s, want %s", c.name, show(s), show(got), show(want))
				}
			}
		}
	})
}

func FuzzParseCasting(f *testing.F) {
	for rule := dtype.CastNo; rule <= dtype.CastSaturating; rule++ {
		f.Add(rule.String())
	}
	f.Add("same-kind")
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := dtype.ParseCasting(text)
		if err == nil && rule.String() != text || err != nil && rule != dtype.CastNo {
			t.Fatalf("%q is %v, %v", text, rule, err)
		}
	})
}

func FuzzParseDescr(f *testing.F) {
	for _, descr := range []string{"<f4", ">c16", "|V1", "<V2", "|O", "<U8", "?", ""} {
		f.Add(descr)
	}
	f.Fuzz(func(t *testing.T, descr string) {
		typ, swapped, err := dtype.ParseDescr(descr)
		if typ.Valid() == (err != nil) {
			t.Fatalf("%q is %v with error %v", descr, typ, err)
		}
		if swapped && err != nil && !errors.Is(err, dtype.ErrAmbiguous) {
			t.Fatalf("%q is swapped, and %v", descr, err)
		}
	})
}
