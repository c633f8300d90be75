package devicetest

import "testing"

// Must is must.
func Must[T any](v T, err error) func(t *testing.T) T { return must(v, err) }

// OK is ok.
var OK = ok
