package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

// write allocates registers and writes the assembly and its declarations.
func write(context *build.Context, dir, name string) error {
	file, err := context.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}

	for _, fn := range file.Functions() {
		if err := checkRegisters(fn); err != nil {
			return err
		}
	}

	config := printer.Config{Name: "compute/internal/correlate/_gen", Pkg: "correlate"}
	for ext, p := range map[string]printer.Printer{".s": printer.NewGoAsm(config), ".go": printer.NewStubs(config)} {
		text, err := p.Print(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, name+ext), text, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// checkRegisters refuses code for AVX2 with registers that only AVX-512 has: with more values alive
// than there are registers, avo takes those without a word.
func checkRegisters(fn *ir.Function) error {
	wide, high := false, ""
	for _, i := range fn.Instructions() {
		for _, r := range i.Registers() {
			p := reg.ToPhysical(r)
			wide = wide || p.Kind() == reg.KindVector && p.Size() == zmmBytes
			if p.Kind() == reg.KindVector && p.PhysicalIndex() >= 16 {
				high = p.Asm()
			}
		}
	}
	if high != "" && !wide {
		return fmt.Errorf("%s uses %s", fn.Name, high)
	}
	return nil
}
