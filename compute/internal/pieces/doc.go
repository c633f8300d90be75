// Package pieces reads elements in C order, in packed pieces, by several goroutines: the elements
// of a tensor of any layout, or those of a sequence that comes in order.
//
// An [Operand] fetches pieces. Where the elements of a tensor lie packed and aligned, a piece is
// the storage itself, to be touched under the guard of [Operand.Storages] only; elsewhere it is
// copied. [AlignedBytes], [As], [Bytes] and [Convert] are for memory that holds such pieces.
package pieces
