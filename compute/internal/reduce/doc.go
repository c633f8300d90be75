// Package reduce computes reductions over any axes of element-wise expressions, several of them in one pass over the
// elements.
//
// A [Spec] says what is reduced: the outputs of a machine.Program over some shape, and for each [Reduction] an [Op].
// The [Engine] made of it is an exec.Job.
//
// # How it is done
//
// The axes are ordered by where the elements of the inputs lie, whether they are reduced or kept, and cut into boxes,
// the chunks of the job. A box is gone through in blocks of rows and columns. Where the columns are kept, an
// accumulator for each of them takes the elements of its column, row by row. Where they are reduced, a run of
// elements is seen as rows of as many columns as kernels hold in registers, the lanes, which are merged at its end;
// rows that are short and go to one result each are transposed first, and few columns are made many by taking
// several rows as one. The kernels are the folds of package kernel.
//
// Boxes that have parts of the same results are merged in a fixed binary tree. Boxes, blocks and lanes depend on
// shapes, strides, types and the program, and on nothing else: results are the same bits for any number of workers
// and on every processor, but for the payloads of NaN.
//
// # Accuracy
//
// Sums of float32 and of smaller floats are taken in float64, and sums of float64 in twice its precision; the result
// is rounded once. Variances are those of blocks about a mean, merged by Chan's formula with means and sums in twice the
// precision: of float64 they are off by one unit in the last place or less, where the elements are not made to spoil
// that, and of smaller floats they are rounded once.
package reduce
