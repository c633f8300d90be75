// Package check finds the elements of a tensor that lie in damaged bytes of its storage.
package check
