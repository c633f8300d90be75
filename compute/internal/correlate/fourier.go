package correlate

import (
	"fmt"
	"math"
)

// A Block is complex numbers: their real and their imaginary parts.
type Block struct{ Re, Im []float64 }

// NewBlock returns n zeros.
func NewBlock(n int) Block { return Block{make([]float64, n), make([]float64, n)} }

func (b Block) slice(from, to int) Block { return Block{b.Re[from:to:to], b.Im[from:to:to]} }

// Fourier transforms blocks of one length, in place. Transforms are in an order of their own, which
// is all that products of elements side by side need. It does not change, and serves many
// goroutines.
type Fourier struct {
	n      int
	stages []Block // for each stage of size s, from n down: w, w², w³ for each w = exp(-2πi·j/s), j < s/4
}

// rootsAtATime is the number of angles whose roots are computed between two looks at stop.
const rootsAtATime = 1 << 12

// NewFourier returns the transforms of blocks of n numbers, where n is a power of 2 of at least 4.
// Once stop returns true it ends early, and its transforms are meaningless.
func NewFourier(n int, stop func() bool) *Fourier {
	if n < 4 || n&(n-1) != 0 {
		panic(fmt.Sprintf("BUG: correlate: transforms of %d numbers", n))
	}

	// Stage s takes blocks of s numbers apart into four, and has three roots of unity for each
	// number.
	f := &Fourier{n: n}
	for s := n; s >= 4; s /= 4 {
		w := NewBlock(3 * s / 4)
		for j := range s / 4 {
			if j%rootsAtATime == 0 && stop() {
				break
			}
			for k := range 3 {
				w.Re[3*j+k], w.Im[3*j+k] = root((k+1)*j, s)
			}
		}
		f.stages = append(f.stages, w)
	}

	return f
}

// Len returns the length of the blocks.
func (f *Fourier) Len() int { return f.n }

// root returns exp(-2πi·j/n), 0 ≤ j < n, a multiple of 4, by an angle of the first eighth.
func root(j, n int) (re, im float64) {
	quarter := n / 4
	j, turns := j%quarter, j/quarter
	if 2*j <= quarter {
		im, re = math.Sincos(2 * math.Pi * float64(j) / float64(n))
	} else {
		re, im = math.Sincos(2 * math.Pi * float64(quarter-j) / float64(n))
	}
	im = -im
	for range turns {
		re, im = im, -re
	}
	return re, im
}

// Forward transforms a block, by decimation in frequency. It ends early, with anything in b, once
// stop returns true.
func (f *Fourier) Forward(b Block, stop func() bool) {
	s := f.n
	for _, w := range f.stages {
		if stop() {
			return
		}
		for at := 0; at < f.n; at += s {
			forward4(b.slice(at, at+s), w)
		}
		s /= 4
	}
	if s == 2 {
		pairs(b)
	}
}

// Inverse is the inverse of Forward but for a factor of the length. It ends as early.
func (f *Fourier) Inverse(b Block, stop func() bool) {
	s := 4
	if f.n>>(2*len(f.stages)) == 2 {
		pairs(b)
		s = 8
	}
	for i := len(f.stages) - 1; i >= 0 && !stop(); i-- {
		for at := 0; at < f.n; at += s {
			inverse4(b.slice(at, at+s), f.stages[i])
		}
		s *= 4
	}
}

// pairs transforms pairs of numbers.
func pairs(b Block) {
	for _, x := range [][]float64{b.Re, b.Im} {
		for ; len(x) >= 2; x = x[2:] {
			x[0], x[1] = x[0]+x[1], x[0]-x[1]
		}
	}
}

// forward4 is one radix-4 step of the transform, decimated in frequency: it splits one transform
// into four interleaved ones of a quarter of the length.
func forward4(b, w Block) {
	q := len(b.Re) / 4
	r0, r1, r2, r3 := b.Re[:q], b.Re[q:][:q], b.Re[2*q:][:q], b.Re[3*q:][:q]
	i0, i1, i2, i3 := b.Im[:q], b.Im[q:][:q], b.Im[2*q:][:q], b.Im[3*q:][:q]
	wr, wi := w.Re[:3*q], w.Im[:3*q]

	for j := range r0 {
		sumR, sumI, difR, difI := r0[j]+r2[j], i0[j]+i2[j], r0[j]-r2[j], i0[j]-i2[j]
		addR, addI, subR, subI := r1[j]+r3[j], i1[j]+i3[j], r1[j]-r3[j], i1[j]-i3[j]
		r0[j], i0[j] = sumR+addR, sumI+addI

		// Multiply by the powers of the root of unity of this position.
		u, v := wr[3*j:][:3:3], wi[3*j:][:3:3]
		x, y := difR+subI, difI-subR
		r1[j], i1[j] = x*u[0]-y*v[0], x*v[0]+y*u[0]
		x, y = sumR-addR, sumI-addI
		r2[j], i2[j] = x*u[1]-y*v[1], x*v[1]+y*u[1]
		x, y = difR-subI, difI+subR
		r3[j], i3[j] = x*u[2]-y*v[2], x*v[2]+y*u[2]
	}
}

// inverse4 undoes forward4, up to a factor of 4.
func inverse4(b, w Block) {
	q := len(b.Re) / 4
	r0, r1, r2, r3 := b.Re[:q], b.Re[q:][:q], b.Re[2*q:][:q], b.Re[3*q:][:q]
	i0, i1, i2, i3 := b.Im[:q], b.Im[q:][:q], b.Im[2*q:][:q], b.Im[3*q:][:q]
	wr, wi := w.Re[:3*q], w.Im[:3*q]

	for j := range r0 {
		// The conjugate roots come first here, as the steps run backwards.
		u, v := wr[3*j:][:3:3], wi[3*j:][:3:3]
		aR, aI := r1[j]*u[0]+i1[j]*v[0], i1[j]*u[0]-r1[j]*v[0]
		bR, bI := r2[j]*u[1]+i2[j]*v[1], i2[j]*u[1]-r2[j]*v[1]
		cR, cI := r3[j]*u[2]+i3[j]*v[2], i3[j]*u[2]-r3[j]*v[2]

		sumR, sumI, difR, difI := r0[j]+bR, i0[j]+bI, r0[j]-bR, i0[j]-bI
		addR, addI, subR, subI := aR+cR, aI+cI, aR-cR, aI-cI
		r0[j], i0[j] = sumR+addR, sumI+addI
		r1[j], i1[j] = difR-subI, difI+subR
		r2[j], i2[j] = sumR-addR, sumI-addI
		r3[j], i3[j] = difR+subI, difI-subR
	}
}

// AddProducts adds a times the conjugate of b to sum, number by number. If they are transforms, sum
// is the transform of the correlation of a and b: the sums of products at all distances.
func (sum Block) AddProducts(a, b Block) {
	n := len(sum.Re)
	sr, si, ar, ai, br, bi := sum.Re, sum.Im[:n], a.Re[:n], a.Im[:n], b.Re[:n], b.Im[:n]
	for i := range sr {
		sr[i] += ar[i]*br[i] + ai[i]*bi[i]
		si[i] += ai[i]*br[i] - ar[i]*bi[i]
	}
}

// Clear sets all numbers to 0.
func (b Block) Clear() {
	clear(b.Re)
	clear(b.Im)
}
