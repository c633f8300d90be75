//go:build amd64 && !noasm

package kernel

import (
	"github.com/tstore/tstore/dtype"
	"golang.org/x/sys/cpu"
)

//go:generate sh -c "cd _gen && go run . .."

// hasAVX2 reports whether the CPU and the system have what the kernels called AVX2 use.
func hasAVX2() bool {
	x := &cpu.X86
	return x.HasAVX2 && x.HasFMA && x.HasBMI2 && x.HasF16C
}

// hasAVX512 reports whether the CPU and the system have what the kernels called AVX-512 use.
func hasAVX512() bool {
	x := &cpu.X86
	return hasAVX2() && x.HasAVX512F && x.HasAVX512BW && x.HasAVX512DQ && x.HasAVX512VL && x.HasAVX512CD
}

// An assembledKernel is a kernel in assembly: that of an operation on a type in one form.
type assembledKernel struct {
	entry
	fn Func
}

// An assembledConvert is a conversion in assembly.
type assembledConvert struct {
	from, to dtype.Type
	fn       Func
}

// addKernels adds kernels in assembly.
func (t *table) addKernels(kernels []assembledKernel) {
	for _, k := range kernels {
		t.set(k.op, k.typ, k.form, k.fn)
	}
}

// An assembledGather is Gather in assembly, for elements of size bytes, stride elements apart.
type assembledGather struct {
	size, stride int
	fn           Func
}

// addGathers adds gathers in assembly.
func (t *table) addGathers(gathers []assembledGather) {
	for _, g := range gathers {
		t.gathers.set(g.size, g.stride, g.fn)
	}
}

// addConverts adds conversions in assembly.
func (t *table) addConverts(converts []assembledConvert) {
	for _, c := range converts {
		t.setConvert(c.from, c.to, c.fn)
	}
}

// An assembledStream is a copy in assembly that stores past the caches, of elements of size bytes
// in one form.
type assembledStream struct {
	size int
	form Form
	fn   Func
}

// addStreams adds copies in assembly that store past the caches.
func (t *table) addStreams(streams []assembledStream) {
	for _, s := range streams {
		t.streams.set(s.size, s.form, s.fn)
	}
}

// registerAVX2 adds the kernels for AVX2.
func registerAVX2(t *table) {
	t.addKernels(floatKernelsAVX2)
	t.addKernels(integerKernelsAVX2)
	t.addKernels(boolKernelsAVX2)
	t.addConverts(boolConvertsAVX2)
	t.addKernels(moveKernelsAVX2)
	t.addConverts(moveConvertsAVX2)
	t.addConverts(convertConvertsAVX2)
	t.addGathers(moveGathersAVX2)
	t.addStreams(moveStreamsAVX2)
	t.addGathers(strideGathersAVX2)
	t.addKernels(strideKernelsAVX2)
	t.addConverts(strideConvertsAVX2)

	t.addKernels(halfKernelsAVX2)
	t.addKernels(complexKernelsAVX2)
	t.addKernels(moduloKernelsAVX2)

	registerMathAVX2(t)
}

// registerAVX512 adds the kernels for AVX-512.
func registerAVX512(t *table) {
	t.addKernels(floatKernelsAVX512)
	t.addKernels(integerKernelsAVX512)
	t.addKernels(boolKernelsAVX512)
	t.addConverts(boolConvertsAVX512)
	t.addKernels(moveKernelsAVX512)
	t.addConverts(moveConvertsAVX512)
	t.addConverts(convertConvertsAVX512)
	t.addGathers(moveGathersAVX512)
	t.addStreams(moveStreamsAVX512)
	t.addGathers(strideGathersAVX512)
	t.addKernels(strideKernelsAVX512)
	t.addConverts(strideConvertsAVX512)

	t.addKernels(halfKernelsAVX512)
	t.addKernels(complexKernelsAVX512)
	t.addKernels(moduloKernelsAVX512)

	registerMathAVX512(t)
}
