// Package npy reads and writes .npy files, the format of numpy.save and numpy.load.
//
// [Open] and [NewReader] give a [File], whose Source is for tstore's Import and whose Foreign is
// for Adopt. [OpenSequence] and [NewSequence] give a [Sequence] of arrays that follow one another,
// for tstore's AppendAll. [Encode] writes a tensor. Versions 1.0 to 3.0 are read, in both byte
// orders and in C and Fortran order.
//
// # Caveats
//
//   - Only arrays of plain numbers are read. Object arrays are pickles, which run code when they
//     are loaded; they are refused.
//   - NumPy has no code for bfloat16 and float8 and stores them as bytes without a meaning ("|V1",
//     "<V2"). They are written that way, and to read them, [Options] has to name the type.
//   - Bytes behind the elements, such as a second array, are an error, unless AllowTrailing is set.
//     NumPy ignores them.
package npy
