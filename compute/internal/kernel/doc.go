// Package kernel holds the inner loops of computing: each works on contiguous elements of one type, knows nothing
// of shapes, and is entered through [Call].
package kernel
