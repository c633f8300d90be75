package kernel

// registerMath adds the transcendental functions written in Go.
func registerMath(*table) {}
