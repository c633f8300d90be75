// Package view describes tensors as shapes and strides over storages, and reads, writes, copies and
// prints their elements. Slicing, transposing and reshaping make new descriptions of the same
// bytes: nothing is copied.
//
// # Types
//
//   - Layout is pure geometry: which elements, in which order. It never touches
//     a byte, and can be made of numbers from anywhere (MakeLayout).
//   - Index is a NumPy basic index; ParseIndex reads it as text. Layout.Index
//     and Tensor.Index apply it.
//   - Chain is a list of indexes and methods as they follow a name, such as
//     "[::2].T.reshape(4, -1)"; ParseMethods reads it as text, Chain.Apply
//     computes what it makes, Chain.Eval also copies where a view will not do.
//   - Fancy is an index with arrays of indexes and masks; ParseFancy reads it as
//     text. Gather and Scatter copy what it picks.
//   - Tensor is a Layout of elements of a dtype over a mmapstore.Storage.
//   - Array is a Tensor whose element type is known at compile time; Ref is one
//     of its elements; Visit picks a function by the element type.
//   - Reader and Writer stream the elements of any layout as packed bytes, and
//     Tensor.Blocks hands them out in pieces.
//   - Copy, Fill, Equal, AllClose, Overlaps and Fprint work on whole tensors.
//   - Take, Put, Compress and Nonzero pick elements; Concatenate, Stack, Tile,
//     Repeat, Pad and Roll put tensors together. Each sets a destination, whose
//     shape the function of the same name with Shape at its end tells.
//   - Indexes, Elements, Rows and Boxes are iterators.
//
// NumPy 2 is the specification of indexing, reshaping, broadcasting, gathering and printing;
// testdata holds the cases that it made.
//
// # Glossary of layouts
//
//   - Axis: one dimension, with a size (the number of indexes) and a stride.
//     The shape is the list of sizes, the rank their number.
//   - Stride: how many elements further the next index of an axis lies. It may
//     be negative (a reversed axis) or 0 (a broadcast axis: one element seen
//     many times). Strides and offsets count elements everywhere in this
//     package, never bytes.
//   - Offset: the position of the element with all indexes 0. It is not the
//     lowest one if strides are negative; Bounds has that.
//   - Position: where an element lies, counted in elements from the start of
//     the storage. The element (i, j) is at offset + i·stride0 + j·stride1.
//   - C order (row-major): the last index counts fastest. A layout is contiguous
//     if its elements lie side by side in this order. Streams and Runs go in
//     C order, whatever the layout.
//   - Fortran order (column-major): the first index counts fastest.
//   - Dense: the elements fill a range of positions without gaps, each once, in
//     whatever order.
//   - Run: elements that follow each other at one step.
//   - Coalesce: to treat neighbouring axes as one where each continues the other.
//   - Broadcast: to stretch axes of size 1 to another size by a stride of 0.
//   - Window: a stretch of an axis; Unfold makes an axis that slides it along.
//     Windows that overlap show elements several times.
//   - Repeat, self-overlap: one element at several indexes, by broadcasting or
//     overlapping windows. It cannot be written (ErrRepeats).
//   - Overlap: bytes that two layouts have in common.
//   - Mask: a tensor of bools that picks the elements it is true for.
//   - Gather, scatter: to copy elements out of, or into, places that no strides
//     describe. Place: where one box of elements lies that is moved whole.
//   - Flat: all elements in C order, taken as one axis.
//   - Reinterpret: to take the same bytes for elements of another type.
//
// # Caveats
//
//   - A tensor that is derived from another borrows from it and ends with it.
//     Tensor.Retain makes one that stands on its own.
//   - Elements are shared memory without locks: concurrent readers are safe, a
//     writer needs the others to stay away.
//   - Elements need not be aligned: a tensor may lie at any byte of a foreign
//     file.
//   - All bytes are touched under mmapstore's guard, so a mapped file that was
//     truncated or fails is an error (*mmapstore.FaultError), not a crash. The
//     function given to Tensor.Blocks runs under that guard and must keep to its
//     rules.
//   - What moves or reads all elements takes a context, and ends soon after it
//     ends, with its error: it is looked at whenever 32 MiB have been moved, and
//     sooner where elements lie apart in memory or are converted.
//   - Gathers stream: an operand may be larger than memory. Only a destination
//     that shares bytes with an operand makes a copy on the heap necessary.
//   - Copy is safe for overlapping tensors, but not all overlaps can be copied
//     without a temporary; see there.
package view
