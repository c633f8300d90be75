//go:build !amd64 || noasm

package gemm

import "github.com/tstore/tstore/dtype"

// variants holds the sets of kernels that there are, by the type that they compute with.
var variants = []map[dtype.Type]micro{portable}
