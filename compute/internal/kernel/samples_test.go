package kernel_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/tstore/tstore/dtype"
)

const seed = 20261121 // of every random test here

func newRand() *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// specialFloats are the values at which operations differ from one another.
var specialFloats = []float64{
	0, math.Copysign(0, -1), 1, -1, 2, -2, 3, -3, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.1, -0.1, 7, -7, 100.25, 1e10, -1e10,
	math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(math.NaN(), -1),
	math.MaxFloat64, -math.MaxFloat64, math.MaxFloat32, -math.MaxFloat32, math.MaxFloat32 / 2,
	0x1p-1022, 0x1p-1022 - 0x1p-1074, 0x1p-1074, -0x1p-1074, 0x1p-126, -0x1p-126, 0x1p-126 - 0x1p-149, 0x1p-149, -0x1p-149,
	0x1p23 - 0.5, 0x1p23, 0x1p24 + 2, 0x1p31, -0x1p31, 0x1p31 - 1, 0x1p52 - 0.5, 0x1p52 + 1, 0x1p53, 0x1p63, -0x1p63, 0x1p64,
	65504, 65520, 448, 464, 57344, 61440, 128, 255, 256, -129, 32768, 65536, 1 - 0x1p-53, 1 + 0x1p-52, 1 - 0x1p-24, 1 + 0x1p-23,
	0.49999999999999994, 4503599627370495.5, 1e-300, 1e300, 1e-30, 1e30, math.Pi, math.E,
}

var specialInts = []int64{
	0, 1, -1, 2, -2, 3, -3, 5, 7, -7, 8, 10, 15, 16, 31, 32, 33, 63, 64, 65, 100, 127, -127, -128, 128, 255, -256, 256, 32767, -32768,
	65535, 65536, math.MaxInt32, math.MinInt32, math.MaxUint32, math.MaxInt64, math.MinInt64, math.MinInt64 + 1, 1 << 53, 1<<53 + 1,
}

// sample returns one element of type t: a special one, an ordinary one or random bits.
func sample(t dtype.Type, rng *rand.Rand) dtype.Scalar {
	switch t.Kind() {
	case dtype.KindBool:
		return dtype.ScalarOf(rng.IntN(2) == 0)
	case dtype.KindComplex:
		part := dtype.Float32
		if t == dtype.Complex128 {
			part = dtype.Float64
		}
		var b [16]byte
		sample(part, rng).Store(b[:])
		sample(part, rng).Store(b[part.Size():])
		return dtype.Load(t, b[:])
	}
	switch kind := rng.IntN(4); {
	case kind == 0:
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], rng.Uint64())
		return dtype.Load(t, b[:])
	case t.Kind() == dtype.KindFloat && kind == 1:
		return dtype.ScalarOf(specialFloats[rng.IntN(len(specialFloats))]).Convert(t)
	case t.Kind() == dtype.KindFloat:
		return dtype.ScalarOf(math.Round((rng.Float64()-0.5)*1e4) / float64(int(1)<<rng.IntN(9))).Convert(t)
	case kind == 1:
		return dtype.ScalarOf(specialInts[rng.IntN(len(specialInts))]).Convert(t)
	}
	return dtype.ScalarOf(rng.Int64N(41) - 20).Convert(t)
}

// poolElems is how many elements a pool holds: more than any test takes, and not a power of two.
const poolElems = 12289

// pools holds elements of each type, from which operands are filled.
var pools = makePools()

func makePools() map[dtype.Type][]byte {
	rng := newRand()
	pools := map[dtype.Type][]byte{}
	for _, t := range dtype.All() {
		b := make([]byte, poolElems*t.Size())
		for i := range poolElems {
			sample(t, rng).Store(b[i*t.Size():])
		}
		pools[t] = b
	}
	for i, b := range pools[dtype.Bool] {
		pools[dtype.Bool][i] = b * (1 + b*byte(max(0, rng.IntN(600)-345))) // mostly 1, else any other byte
	}
	return pools
}

// fillFrom fills b with elements of type t from a random place of the pool.
func fillFrom(b []byte, t dtype.Type, rng *rand.Rand) {
	pool := pools[t]
	start := rng.IntN(poolElems-len(b)/t.Size()) * t.Size()
	copy(b, pool[start:])
}
