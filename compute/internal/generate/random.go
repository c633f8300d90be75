package generate

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/tstore/tstore/dtype"
)

// Random generates random elements of type t without end: integers over the whole range of t,
// fair coins, and floats in [0, 1) of as many bits as the mantissa of t has. The numbers are those
// of the counter-based generator Philox4x64-10 (Salmon et al., "Parallel Random Numbers: As Easy as
// 1, 2, 3", SC 2011), which makes element i without those before it. They depend on t, seed and i
// only.
func Random(t dtype.Type, seed uint64) (*Row, error) {
	if !t.Valid() {
		return nil, fmt.Errorf("random elements of dtype %v: no valid dtype", t)
	}
	shape := randomShape(t)
	return newRow(t, endless(t), func(dst []byte, first int64) error {
		randomBytes(dst, seed, first*int64(t.Size()))
		if shape != nil {
			shape(dst)
		}
		return nil
	}), nil
}

// randomShape returns a function that turns random bytes into elements of t, in place. It returns
// nil if random bytes are elements already.
func randomShape(t dtype.Type) func(b []byte) {
	switch t {
	case dtype.Bool:
		return randomBools
	case dtype.Float8E4M3FN:
		return func(b []byte) { randomSmall(b, func(f float32) byte { return byte(dtype.ToF8E4M3FN(f)) }, 4) }
	case dtype.Float8E5M2:
		return func(b []byte) { randomSmall(b, func(f float32) byte { return byte(dtype.ToF8E5M2(f)) }, 3) }
	case dtype.Float16:
		return func(b []byte) { randomHalves(b, func(f float32) uint16 { return uint16(dtype.ToF16(f)) }, 11) }
	case dtype.BFloat16:
		return func(b []byte) { randomHalves(b, func(f float32) uint16 { return uint16(dtype.ToBF16(f)) }, 8) }
	case dtype.Float32, dtype.Complex64:
		return randomFloat32s
	case dtype.Float64, dtype.Complex128:
		return randomFloat64s
	}
	return nil
}

func randomBools(b []byte) {
	for i := range b {
		b[i] &= 1
	}
}

// randomSmall keeps the upper p bits of each byte as a fraction, encoded by to.
func randomSmall(b []byte, to func(float32) byte, p int) {
	for i, v := range b {
		b[i] = to(float32(v>>(8-p)) / float32(int(1)<<p))
	}
}

// randomHalves is randomSmall for elements of two bytes.
func randomHalves(b []byte, to func(float32) uint16, p int) {
	for ; len(b) >= 2; b = b[2:] {
		v := binary.LittleEndian.Uint16(b) >> (16 - p)
		binary.LittleEndian.PutUint16(b, to(float32(v)/float32(int(1)<<p)))
	}
}

func randomFloat32s(b []byte) {
	for ; len(b) >= 4; b = b[4:] {
		f := float32(binary.LittleEndian.Uint32(b)>>8) * 0x1p-24
		binary.LittleEndian.PutUint32(b, math.Float32bits(f))
	}
}

func randomFloat64s(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		f := float64(binary.LittleEndian.Uint64(b)>>11) * 0x1p-53
		binary.LittleEndian.PutUint64(b, math.Float64bits(f))
	}
}
