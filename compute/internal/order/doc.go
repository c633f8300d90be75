// Package order sorts elements and finds those of given ranks.
//
// Elements are turned into keys: unsigned integers that are in the order of the elements, -0 right
// before 0, and NaNs, whatever their signs and payloads, after all others. A [Coding] does that,
// and turns keys back into the same elements, bit for bit. Keys are sorted by their digits
// ([Sort]), which compares nothing and takes the same time whatever the elements are; ranks of more
// elements than fit in memory are found between bounds that a sample tells, or by counting digits
// ([Select], [SelectWide]); a [Top] gathers the elements that come first.
//
// [Sorting], [Ranks] and [Searching] are work on whole arrays; [Uniques] and [Patterns] find the
// elements that differ.
package order
