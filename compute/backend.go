package compute

import "fmt"

// A Backend computes the elements of expressions. All of them give the same bits, except for the
// payloads of NaNs.
type Backend uint8

// The backends.
const (
	BackendAuto        Backend = iota // machine code where it pays, else kernels
	BackendKernels                    // one loop for each operation, block by block
	BackendMachineCode                // one loop for the whole expression, compiled for it, as far as there is code for its operations; else kernels
)

var backends = [...]string{"auto", "kernels", "machine-code"}

// String returns the name of the backend, such as "kernels".
func (b Backend) String() string {
	if int(b) >= len(backends) {
		return fmt.Sprintf("Backend(%d)", uint8(b))
	}
	return backends[b]
}

// ParseBackend returns the backend with a name.
func ParseBackend(name string) (Backend, error) {
	for b, known := range backends {
		if name == known {
			return Backend(b), nil
		}
	}
	return 0, fmt.Errorf("backend %q: expected one of %v", name, backends)
}
