// Package gemm multiplies matrices: batches of them, of any element type, at any strides.
//
// A [Spec] says what is multiplied and where it lies. [New] cuts the work into chunks, which
// exec.Run hands to workers. It goes the way of Goto and van de Geijn ("Anatomy of high-performance
// matrix multiplication", 2008) and BLIS: parts of both matrices are packed into panels as wide as
// a tile of registers, which is where strides, conversions and complex numbers end, and a
// micro-kernel multiplies a panel of one by a panel of the other.
//
// [Panels] packs operands and stores sums for what multiplies elsewhere, such as a GPU.
//
// # What a sum is
//
// Integers wrap around. Floats are added up in the order of k, in runs of a fixed length: each run
// starts from 0 and takes every product with one rounding (fused multiply-add), and the sums of
// runs are added up in order. The meaning is that of the kernels in Go; those in assembly give the
// same bits, and so does any number of workers. float16, bfloat16, float8 and bool are multiplied
// in float32 and rounded once at the end; narrow integers in int32. Of complex numbers the products
// of real parts come before those of imaginary ones.
//
// # Caveats
//
//   - Addresses are taken as they are: pin what they point to, and run the job under the guard of
//     the storages.
//   - The result has its elements of a row side by side and shares no byte with the operands.
//   - The build tag noasm leaves the machine code out.
package gemm

//go:generate sh -c "cd _gen && go run . .."
