// Package tensortest is the catalogue of layouts that every operation on tensors is tested over,
// with a deliberately simple walk to compare against.
//
// A Layout is plain numbers (shape, strides, offset, all in elements), so the
// package imports nothing of the project and any layer can sweep over it.
// A test makes a storage of Span elements that starts Skew bytes off
// alignment (Buffer gives the bytes), puts the layout over it, and checks the
// result against a loop over Positions.
//
// Aliased gives pairs of layouts of equal shape over one storage, for operations whose destination
// may share elements with a source.
package tensortest
