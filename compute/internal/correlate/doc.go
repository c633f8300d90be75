// Package correlate computes sums of products of elements and taps that slide along them: what
// correlations and convolutions of any number of axes come down to.
//
//   - [Taps] are factors, each with the distance of the element that it multiplies. [Taps.Add] sums up the products one by one.
//   - [Fourier] transforms blocks of elements. Products of transforms are transforms of sums of products, of all distances around a block.
//
// A [Convolution] is work on whole arrays, which cuts them into tiles of sums or into blocks of
// transforms.
//
// # What a sum is
//
// Integers wrap around. Floats are float64: the products of 8 taps are added up with one rounding
// each (fused multiply-add), and the sums of such runs together with what rounding takes away from
// them (TwoSum: Knuth, The Art of Computer Programming, volume 2, 4.2.2). So the error of a sum is
// at most 9·2⁻⁵³ of the sum of the products' magnitudes, whatever the number of taps. The meaning
// is that of the loops in Go; those in assembly give the same bits.
//
// A transform of n elements has an error of at most 7·2⁻⁵³·log2 n of the root of the sum of their
// squares (Higham, Accuracy and Stability of Numerical Algorithms, theorem 24.2).
//
// # Caveats
//
//   - Lengths are not checked by the kernels but by [Taps.Add].
//   - On platforms where Go fuses multiplications and additions by itself, transforms may differ in their last bits.
package correlate

//go:generate sh -c "cd _gen && go run . .."
