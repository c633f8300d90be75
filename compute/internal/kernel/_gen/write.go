package main

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"strings"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// A registration says for what a function is the kernel: an operation on a type in a form, a
// conversion, a stride (its form) of elements of some size, or a copy of those past the caches.
type registration struct {
	fn       string
	op       string
	typ      string
	form     int
	from, to string
	size     int
}

// register makes fn the kernel of an operation on some types in one form.
func (k *asm) register(fn, op string, form int, types ...string) {
	for _, t := range types {
		k.kernels = append(k.kernels, registration{fn: fn, op: op, typ: t, form: form})
	}
}

// registerConvert makes fn the conversion of a pair of types.
func (k *asm) registerConvert(fn, from, to string) {
	k.converts = append(k.converts, registration{fn: fn, from: from, to: to})
}

// write allocates registers and writes the assembly and its Go half into a folder.
func (k *asm) write(dir string) error {
	file, err := k.Result()
	if err != nil {
		return err
	}

	// Weave before registers are allocated: chains in turns need more of them at once.
	for _, fn := range file.Functions() {
		weave(fn)
	}

	if err := pass.Compile.Execute(file); err != nil {
		return err
	}

	for _, fn := range file.Functions() {
		if err := k.checkRegisters(fn); err != nil {
			return err
		}
	}

	config := printer.Config{Name: "compute/internal/kernel/_gen", Pkg: "kernel"}
	base := filepath.Join(dir, k.output+"_"+strings.ToLower(k.name)+"_amd64")
	text, err := printer.NewGoAsm(config).Print(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(base+".s", text, 0o666); err != nil {
		return err
	}

	text, err = k.goHalf(config, file)
	if err != nil {
		return err
	}

	return os.WriteFile(base+".go", text, 0o666)
}

// checkRegisters refuses the registers that only AVX-512 has: with more values alive than there are
// registers, avo takes those without a word.
func (k *asm) checkRegisters(fn *ir.Function) error {
	for _, i := range fn.Instructions() {
		for _, r := range i.Registers() {
			p := reg.ToPhysical(r)
			if p.Kind() == reg.KindVector && int(p.PhysicalIndex()) >= k.registers || p.Kind() == reg.KindOpmask && !k.wide() {
				return fmt.Errorf("%s uses %s", fn.Name, p.Asm())
			}
		}
	}
	return nil
}

// goHalf declares the functions and lists what they are kernels of.
func (k *asm) goHalf(config printer.Config, file *ir.File) ([]byte, error) {
	stubs, err := printer.NewStubs(config).Print(file)
	if err != nil {
		return nil, err
	}

	var b bytes.Buffer
	before, after, _ := strings.Cut(string(stubs), "package kernel\n")
	fmt.Fprintf(&b, "%spackage kernel\n\nimport (\n\t\"unsafe\"\n", before)
	if len(k.kernels)+len(k.converts) > 0 {
		fmt.Fprint(&b, "\n\t\"github.com/tstore/tstore/dtype\"\n")
	}
	fmt.Fprint(&b, ")\n")

	if len(k.kernels) > 0 {
		fmt.Fprintf(&b, "\nvar %sKernels%s = []assembledKernel{\n", k.output, k.name)
		for _, r := range k.kernels {
			fmt.Fprintf(&b, "{entry{%s, dtype.%s, %d}, %s},\n", r.op, r.typ, r.form, r.fn)
		}
		fmt.Fprint(&b, "}\n")
	}

	if len(k.converts) > 0 {
		fmt.Fprintf(&b, "\nvar %sConverts%s = []assembledConvert{\n", k.output, k.name)
		for _, r := range k.converts {
			fmt.Fprintf(&b, "{dtype.%s, dtype.%s, %s},\n", r.from, r.to, r.fn)
		}
		fmt.Fprint(&b, "}\n")
	}

	if len(k.gathers) > 0 {
		fmt.Fprintf(&b, "\nvar %sGathers%s = []assembledGather{\n", k.output, k.name)
		for _, r := range k.gathers {
			fmt.Fprintf(&b, "{%d, %d, %s},\n", r.size, r.form, r.fn)
		}
		fmt.Fprint(&b, "}\n")
	}

	if len(k.streams) > 0 {
		fmt.Fprintf(&b, "\nvar %sStreams%s = []assembledStream{\n", k.output, k.name)
		for _, r := range k.streams {
			fmt.Fprintf(&b, "{%d, %d, %s},\n", r.size, r.form, r.fn)
		}
		fmt.Fprint(&b, "}\n")
	}

	b.WriteString(after)
	return format.Source(b.Bytes())
}
