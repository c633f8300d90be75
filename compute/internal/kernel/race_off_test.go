//go:build !race

package kernel_test

const raceBuild = false
