//go:build cuda && fakecuda && linux

package cudabridge

// The driver that the functions of package driver reach is the fake one.
import _ "github.com/tstore/tstore/cudabridge/internal/fakedriver"
