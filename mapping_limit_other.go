//go:build !unix

package tstore

// defaultMappings is how many mappings are kept ready.
func defaultMappings() int { return maxDefaultMappings }
