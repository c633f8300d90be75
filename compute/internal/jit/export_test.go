package jit

// Assemble returns the instructions of a program.
func Assemble(p *Program) ([]byte, error) {
	code, _, err := assemble(p)
	return code, err
}

// RefusePages makes Compile fail with err, as where a system allows no code, until restore is called.
func RefusePages(err error) (restore func()) {
	mapPages = func([]byte) ([]byte, error) { return nil, err }
	return func() { mapPages = mapCode }
}

// Mapped returns how much Code has pages.
func Mapped() int64 { return mapped.Load() }
