package kernel

// registerGo adds the kernels written in Go, but for the transcendental functions.
func registerGo(t *table) {}
