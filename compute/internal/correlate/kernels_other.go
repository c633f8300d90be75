//go:build !amd64 || noasm

package correlate

import "github.com/tstore/tstore/dtype"

// variants holds the sets of kernels that there are, by the type that they compute in.
var variants = []map[dtype.Type]sumsFunc{portable}
