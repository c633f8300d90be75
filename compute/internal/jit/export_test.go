package jit

// Assemble returns the instructions of a program.
func Assemble(p *Program) ([]byte, error) {
	code, _, err := assemble(p)
	return code, err
}

// Mapped returns how much Code has pages.
func Mapped() int64 { return mapped.Load() }
