// Package mmapstore provides Storage: flat, reference-counted bytes in a mapped file or in memory.
package mmapstore
