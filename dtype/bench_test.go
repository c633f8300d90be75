package dtype_test

import (
	"testing"

	"github.com/tstore/tstore/dtype"
)

func BenchmarkConvert(b *testing.B) {
	pairs := []struct{ from, to dtype.Type }{
		{dtype.Float32, dtype.Float64},
		{dtype.Float64, dtype.Float32},
		{dtype.Float32, dtype.Float16},
		{dtype.Float16, dtype.Float32},
		{dtype.Float32, dtype.BFloat16},
		{dtype.BFloat16, dtype.Float32},
		{dtype.Float32, dtype.Float8E4M3FN},
		{dtype.Float8E4M3FN, dtype.Float32},
		{dtype.Float32, dtype.Int32},
		{dtype.Float32, dtype.Uint8},
		{dtype.Int64, dtype.Float32},
		{dtype.Uint8, dtype.Float32},
		{dtype.Int64, dtype.Int32},
		{dtype.Float16, dtype.BFloat16},
		{dtype.Complex128, dtype.Float32},
		{dtype.Int64, dtype.Bool},
	}
	for _, pair := range pairs {
		benchmarkConversion(b, dtype.Convert, pair.from, pair.to)
	}
}

func BenchmarkConvertSaturating(b *testing.B) {
	pairs := []struct{ from, to dtype.Type }{
		{dtype.Float32, dtype.Float8E4M3FN},
		{dtype.Float32, dtype.Uint8},
		{dtype.Int64, dtype.Int32},
		{dtype.Uint16, dtype.Uint8},
	}
	for _, pair := range pairs {
		benchmarkConversion(b, dtype.ConvertSaturating, pair.from, pair.to)
	}
}

func benchmarkConversion(b *testing.B, convert func(dst []byte, to dtype.Type, src []byte, from dtype.Type), from, to dtype.Type) {
	const n = 64 << 10
	rng := newRand()
	b.Run(from.String()+"/"+to.String(), func(b *testing.B) {
		values := make([]dtype.Scalar, n)
		for i := range values {
			values[i] = dtype.ScalarOf(rng.NormFloat64()).Convert(from)
		}
		src, dst := pack(values, 0), alignedBytes(n*to.Size(), 0)
		b.SetBytes(int64(len(src) + len(dst)))
		b.ReportAllocs()
		for b.Loop() {
			convert(dst, to, src, from)
		}
	})
}

func BenchmarkPromote(b *testing.B) {
	for b.Loop() {
		dtype.Promote(dtype.Int64, dtype.Float32)
	}
}

func BenchmarkScalar(b *testing.B) {
	for _, s := range []dtype.Scalar{dtype.ScalarOf[float32](0.1), dtype.ScalarOf(dtype.ToF16(0.1)), dtype.ScalarOf[int64](-12345)} {
		b.Run("String/"+s.Type().String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_ = s.String()
			}
		})
		b.Run("Convert/"+s.Type().String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.Convert(dtype.Float64)
			}
		})
	}
}
