// Package raw reads and writes files of bare elements, with no header: as numpy.ndarray.tofile and
// fwrite leave them.
//
// [Open] and [NewReader] take an [Options] that says what the bytes are and give a [File], whose
// Source is for tstore's Import and whose Foreign is for Adopt. [Encode] writes the elements of a
// tensor.
//
// # Caveats
//
//   - Nothing in such a file tells whether the options are right. Bytes beyond the elements are
//     therefore an error, unless AllowTrailing is set.
//   - Encode writes C order and little endian, whatever the file was that a tensor came from.
package raw
