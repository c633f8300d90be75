package jit

// Assemble returns the instructions of a program.
func Assemble(isa string, p *Program) ([]byte, error) {
	code, _, err := assemble(instructionSets[isa], p)
	return code, err
}

var instructionSets = map[string]*instructionSet{avx512.name: avx512, avx2.name: avx2}

// CompileFor compiles for an instruction set of this processor.
func CompileFor(isa string, p *Program) (*Code, error) { return compileFor(instructionSets[isa], p) }

// ISAs names those that there is code for here.
func ISAs() []string {
	switch target() {
	case avx512:
		return []string{avx512.name, avx2.name}
	case avx2:
		return []string{avx2.name}
	}
	return nil
}

// RefusePages makes Compile fail with err, as where a system allows no code, until restore is
// called.
func RefusePages(err error) (restore func()) {
	mapPages = func([]byte) ([]byte, error) { return nil, err }
	return func() { mapPages = mapCode }
}

// Mapped returns how much Code has pages.
func Mapped() int64 { return mapped.Load() }
