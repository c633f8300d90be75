// Package plan decides in which order the elements of several operands are walked. It knows
// integers only: sizes and strides.
//
// Operands of one shape become a [Nest]: the same elements, with the axes ordered by where they lie
// in memory, walked forwards, and merged as far as all operands allow. [Nest.Tile] says whether two
// axes should be walked together because operands disagree on which one is contiguous.
// [Nest.Chunks] cuts a Nest into [Box]es.
package plan
