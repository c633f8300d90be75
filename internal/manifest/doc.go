// Package manifest is the list of files that goes with a backup: what they are called, how long
// they are, and the checksums of their bytes.
//
// A [Manifest] is lines of JSON: a [Head], a line for each [File], and a last line with the
// checksum of all before, so that one that is cut off or altered is found. [Decode] reads one that
// anybody may have written: paths stay inside a folder, none is there twice, and no number is
// absurd.
//
// The bytes of a file are its header, which has no checksum here, and a payload. Of a payload that
// only grew since an earlier backup, a manifest may list the end alone, from [File.From] on. Files
// in different backups have the same [File.Key] exactly if one's payload is the beginning of the
// other's.
//
// [Summer] makes the checksums of a payload as it streams by: XXH3 of 128 bits of each 8 MiB.
package manifest
