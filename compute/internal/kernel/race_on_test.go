//go:build race

package kernel_test

const raceBuild = true // loops in Go take a hundred times as long
