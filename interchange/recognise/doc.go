// Package recognise names the format of a file by its first bytes, and says how an .npy file is
// made of what no reader of tstore knows.
//
// [Head] looks at the first bytes of a file or a stream, and [Folder] at a folder. Both give a
// [Format].
//
// # Caveats
//
//   - It is for the texts of errors: what looks like a format need not be a whole file of it.
//   - The lines of Python need packages that the reader of the error may have to install, and name
//     what he has to choose in capitals: DATASET, VARIABLE, COLUMN.
package recognise
