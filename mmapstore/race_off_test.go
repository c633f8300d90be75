//go:build !race

package mmapstore_test

const raceBuild = false
