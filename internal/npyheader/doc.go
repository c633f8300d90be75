// Package npyheader reads and writes the header of .npy files, the format that NumPy's save and
// load use and that tstore's storages have.
//
// [Read] takes a [Header] from untrusted bytes; [Encode] makes one. The format is that of
// numpy.lib.format: a magic string, a version, a length, and a Python dictionary with the dtype
// ("descr"), the order and the shape, padded so that the data is aligned.
//
// # Caveats
//
//   - Only plain numbers are read. Object arrays are pickles, which run code when they are
//     loaded; they are refused, as are strings, dates and structured dtypes.
//   - NumPy has no code for bfloat16 and float8. Read returns the void code that stands
//     for them ("<V2", "|V1") with no type, for callers that know it from elsewhere.
//   - A comment may follow the dictionary. Python skips it, so NumPy does too, and loses it
//     when it saves the array again.
package npyheader
