// Package reduce computes reductions over any axes of element-wise expressions, several of them in
// one pass over the elements.
//
// A [Spec] says what is reduced: the outputs of a machine.Program over some shape, and for each
// [Reduction] an [Op]. The [Engine] made of it is an exec.Job.
//
// # How it is done
//
// The axes are cut into tiles: boxes of them are the parts of the work, and boxes of parts its
// chunks. A part is gone through in blocks of rows and columns. Where the columns are kept, an
// accumulator for each of them takes the elements of its column, row by row. Where they are
// reduced, a run of elements is seen as rows of as many columns as kernels hold in registers, the
// lanes, which are merged at its end; rows that are short and go to one result each are transposed
// first, and few columns are made many by taking several rows as one. The kernels are the folds of
// package kernel. Parts of the same results are merged in a fixed binary tree.
//
// If the order of elements can change a result, which is so for all but integers, counts and
// indexes, the axes are in C order, and tiles, blocks and lanes depend on the shape, the axes, the
// types and the program, and on nothing else: results are the same bits for any layout, any number
// of workers and on every processor, but for the payloads of NaN. An input whose runs are another
// axis than the columns is gone through along these runs where it can be, for many results at once,
// or for many rows that go to one result: each has its lanes all the same, in an accumulator of its
// own. For that, long rows that are reduced together have lanes each, but for variances. Other
// inputs that lie otherwise are copied into C order, chunk by chunk; those that lie across the
// others get chunks that have more of each of their runs, and few results if these lie across them
// too. Otherwise the axes are in the order of memory.
//
// # Elsewhere
//
// A [Folder] folds elements in place of the kernels: on a device, for one. A worker made by
// [Engine.NewPacker] goes through the same parts. It packs the elements that go to each lane or
// column, in the order in which other workers take them, for many parts at a time. What the folder
// has made of the accumulators is merged, finished and saved like that of other workers. Results
// have the same bits.
//
// # Accuracy
//
// Sums of float32 and of smaller floats are taken in float64, and sums of float64 in twice its
// precision; the result is rounded once. Variances are those of blocks about a mean, merged by
// Chan's formula with means and sums in twice the precision: of float64 they are off by one unit in
// the last place or less, where the elements are not made to spoil that, and of smaller floats they
// are rounded once. Products of floats have exponents of their own, so that they over- and
// underflow only in the end.
package reduce
