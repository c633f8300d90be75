package dtype_test

import (
	"encoding/binary"
	"fmt"
	"math/big"
	"math/rand/v2"

	"github.com/tstore/tstore/dtype"
)

// The reference: every conversion in arbitrary precision, straight from the rules.

// ieee describes a binary float format.
type ieee struct {
	exp, man int
	noInf    bool // the largest code is a NaN, and there is no infinity
}

var formats = map[dtype.Type]ieee{
	dtype.Float16:      {exp: 5, man: 10},
	dtype.BFloat16:     {exp: 8, man: 7},
	dtype.Float8E4M3FN: {exp: 4, man: 3, noInf: true},
	dtype.Float8E5M2:   {exp: 5, man: 2},
	dtype.Float32:      {exp: 8, man: 23},
	dtype.Float64:      {exp: 11, man: 52},
}

var partOf = map[dtype.Type]dtype.Type{dtype.Complex64: dtype.Float32, dtype.Complex128: dtype.Float64}

// number is an exact real number, an infinity, or a NaN.
type number struct {
	nan bool
	neg bool // the sign of a NaN or a zero too
	abs *big.Float
}

const prec = 2200 // holds the sum of any two float64 exactly

func exact() *big.Float { return new(big.Float).SetPrec(prec) }

func zero() number { return number{abs: exact()} }

// overflow is the code from which on there is no number.
func (f ieee) overflow() uint64 {
	if f.noInf {
		return 1<<(f.exp+f.man) - 1
	}
	return (1<<f.exp - 1) << f.man
}

func (f ieee) minExp() int { return 2 - 1<<(f.exp-1) }

func (f ieee) decode(code uint64) number {
	r := number{neg: code>>(f.exp+f.man)&1 != 0, abs: exact()}
	code &= 1<<(f.exp+f.man) - 1
	switch {
	case code == f.overflow() && !f.noInf:
		r.abs.SetInf(false)
	case code >= f.overflow():
		r.nan = true
	case code < 1<<f.man:
		r.abs.SetMantExp(exact().SetUint64(code), f.minExp()-f.man)
	default:
		significand := code&(1<<f.man-1) | 1<<f.man
		r.abs.SetMantExp(exact().SetUint64(significand), f.minExp()-f.man+int(code>>f.man)-1)
	}
	return r
}

// encode rounds to nearest, ties to even.
func (f ieee) encode(r number) uint64 {
	sign := uint64(0)
	if r.neg {
		sign = 1 << (f.exp + f.man)
	}
	switch {
	case r.nan:
		return sign | (1<<(f.exp+f.man) - 1)
	case r.abs.IsInf():
		return sign | f.overflow()
	case r.abs.Sign() == 0:
		return sign
	}
	exp := max(r.abs.MantExp(nil)-1, f.minExp())
	scaled := exact().SetMantExp(r.abs, f.man-exp)
	steps, _ := scaled.Int(nil)
	rest := exact().Sub(scaled, exact().SetInt(steps))
	if c := rest.Cmp(big.NewFloat(0.5)); c > 0 || c == 0 && steps.Bit(0) == 1 {
		steps.Add(steps, big.NewInt(1))
	}
	code := steps.Uint64() + uint64(exp-f.minExp())<<f.man
	return sign | min(code, f.overflow())
}

// words returns the bits of s.
func words(s dtype.Scalar) (lo, hi uint64) {
	var b [16]byte
	s.Store(b[:])
	return binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])
}

func fromWords(t dtype.Type, lo, hi uint64) dtype.Scalar {
	var b [16]byte
	binary.LittleEndian.PutUint64(b[:], lo)
	binary.LittleEndian.PutUint64(b[8:], hi)
	return dtype.Load(t, b[:])
}

// decode returns the exact parts of a scalar.
func decode(s dtype.Scalar) (re, im number) {
	lo, hi := words(s)
	t := s.Type()
	switch t.Kind() {
	case dtype.KindInt:
		shift := 64 - 8*t.Size()
		v := int64(lo<<shift) >> shift
		return number{neg: v < 0, abs: exact().Abs(exact().SetInt64(v))}, zero()
	case dtype.KindBool, dtype.KindUint:
		return number{abs: exact().SetUint64(lo)}, zero()
	case dtype.KindFloat:
		return formats[t].decode(lo), zero()
	}
	if t == dtype.Complex64 {
		lo, hi = lo&(1<<32-1), lo>>32
	}
	f := formats[partOf[t]]
	return f.decode(lo), f.decode(hi)
}

// convertSlowly is what Scalar.Convert should do.
func convertSlowly(s dtype.Scalar, to dtype.Type) dtype.Scalar {
	re, im := decode(s)
	switch to.Kind() {
	case dtype.KindBool:
		if re.isZero() && im.isZero() {
			return dtype.ScalarOf(false)
		}
		return dtype.ScalarOf(true)
	case dtype.KindInt, dtype.KindUint:
		v := re.integer(s.Type(), to)
		modulus := new(big.Int).Lsh(big.NewInt(1), uint(8*to.Size()))
		return fromWords(to, v.Mod(v, modulus).Uint64(), 0)
	case dtype.KindFloat:
		return fromWords(to, formats[to].encode(re), 0)
	}
	f := formats[partOf[to]]
	if to == dtype.Complex64 {
		return fromWords(to, f.encode(re)|f.encode(im)<<32, 0)
	}
	return fromWords(to, f.encode(re), f.encode(im))
}

// saturateSlowly is what Scalar.ConvertSaturating should do.
func saturateSlowly(s dtype.Scalar, to dtype.Type) dtype.Scalar {
	re, _ := decode(s)
	switch kind := to.Kind(); {
	case s.Type() == to:
		return s
	case kind == dtype.KindInt || kind == dtype.KindUint:
		return fromWords(to, re.clamped(to).Uint64(), 0)
	case kind == dtype.KindFloat && to.Size() == 1:
		if largest := formats[to].decode(formats[to].overflow() - 1); !re.nan && re.abs.Cmp(largest.abs) > 0 {
			re.abs = largest.abs
		}
		return fromWords(to, formats[to].encode(re), 0)
	}
	return convertSlowly(s, to)
}

// clamped is r without its fraction, in the range of an integer type, as the bits of it.
func (r number) clamped(to dtype.Type) *big.Int {
	if r.nan {
		return new(big.Int)
	}
	bits := uint(8 * to.Size())
	least, most := new(big.Int), new(big.Int).Lsh(big.NewInt(1), bits)
	if to.Kind() == dtype.KindInt {
		most.Rsh(most, 1)
		least.Neg(most)
	}
	most.Sub(most, big.NewInt(1))
	beyond := exact().SetInt64(2)
	v, _ := beyond.SetMantExp(beyond, int(bits)).Int(nil)
	if r.abs.Cmp(beyond) < 0 {
		v, _ = r.abs.Int(nil)
	}
	if r.neg {
		v.Neg(v)
	}
	if v.Cmp(most) > 0 {
		v.Set(most)
	}
	if v.Cmp(least) < 0 {
		v.Set(least)
	}
	return v.Mod(v, new(big.Int).Lsh(big.NewInt(1), bits))
}

func (r number) isZero() bool { return !r.nan && r.abs.Sign() == 0 }

// integer drops the fraction. Floats out of the range of the instruction that converts them become
// the smallest number of it.
func (r number) integer(from, to dtype.Type) *big.Int {
	bits := uint(31)
	if to == dtype.Int64 || to == dtype.Uint32 || to == dtype.Uint64 {
		bits = 63
	}
	limit := new(big.Int).Lsh(big.NewInt(1), bits)
	smallest := new(big.Int).Neg(limit)
	if r.nan || r.abs.IsInf() && (r.neg || to != dtype.Uint64) {
		return smallest
	}
	if r.abs.IsInf() {
		return new(big.Int)
	}
	v, _ := r.abs.Int(nil)
	if r.neg {
		v.Neg(v)
	}
	isFloat := from.Kind() == dtype.KindFloat || from.Kind() == dtype.KindComplex
	switch {
	case !isFloat || v.Cmp(smallest) >= 0 && v.Cmp(limit) < 0:
		return v
	case to == dtype.Uint64 && v.Sign() > 0: // the upper half is moved down and back
		if v.BitLen() > 64 {
			return new(big.Int)
		}
		return v
	}
	return smallest
}

// same reports whether two scalars have the same bits, up to the payload of a NaN.
func same(a, b dtype.Scalar) bool {
	if a == b {
		return true
	}
	if a.Type() != b.Type() || a.Type().Kind() < dtype.KindFloat {
		return false
	}
	are, aim := decode(a)
	bre, bim := decode(b)
	return are.same(bre) && aim.same(bim)
}

func (r number) same(o number) bool {
	if r.nan || o.nan {
		return r.nan == o.nan && r.neg == o.neg
	}
	return r.neg == o.neg && r.abs.Cmp(o.abs) == 0
}

// show spells a scalar with its bits, for messages.
func show(s dtype.Scalar) string {
	lo, hi := words(s)
	return fmt.Sprintf("%v(%v, %#x %#x)", s.Type(), s, lo, hi)
}

// samples returns values of type t: the edges of every type, and n random ones.
func samples(t dtype.Type, rng *rand.Rand, n int) []dtype.Scalar {
	var all []dtype.Scalar
	for _, edge := range edges() {
		all = append(all, convertSlowly(edge, t))
	}
	for range n {
		all = append(all, fromWords(t, rng.Uint64(), rng.Uint64()))
	}
	for range n { // in the range of most types
		f := (rng.Float64()*2 - 1) * float64(uint64(1)<<rng.IntN(64))
		all = append(all, convertSlowly(dtype.ScalarOf(f), t))
	}
	return all
}

func edges() []dtype.Scalar {
	var all []dtype.Scalar
	for bit := range 64 {
		power := uint64(1) << bit
		for _, v := range []uint64{power - 1, power, power + 1, power + power>>1, -power} {
			all = append(all, dtype.ScalarOf(v))
		}
		all = append(all, dtype.ScalarOf(-float64(power)), dtype.ScalarOf(-float64(power)-0.5), dtype.ScalarOf(1/float64(power)))
	}
	for _, f := range formats {
		for _, code := range []uint64{0, 1, 1<<f.man - 1, 1 << f.man, f.overflow() - 1, f.overflow()} {
			value := f.decode(code)
			for range 2 {
				all = append(all, fromWords(dtype.Float64, formats[dtype.Float64].encode(value), 0))
				value.neg = true
			}
		}
	}
	nan := formats[dtype.Float64].encode(number{nan: true})
	return append(all, fromWords(dtype.Float64, nan, 0), fromWords(dtype.Float64, nan|1<<63, 0))
}
