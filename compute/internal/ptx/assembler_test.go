package ptx_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/internal/ptx"
	"github.com/tstore/tstore/compute/internal/ptx/ptxtest"
)

var (
	ptxas   = flag.String("ptxas", "", "the path of NVIDIA's assembler, which is then to take all code")
	targets = flag.String("targets", "sm_70 sm_80 sm_90 sm_100 sm_120", "what it assembles for")
)

// warnSpills has the assembler complain of code that needs more registers than there are.
const warnSpills = "-warn-spills"

// assemble has NVIDIA's assembler read a text, for all targets, with some options.
func assemble(t *testing.T, text string, options ...string) {
	t.Helper()
	if *ptxas == "" {
		t.Skip("make ptx-check installs the assembler and gives its path with -ptxas")
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "code.ptx")
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range strings.Fields(*targets) {
		if target == "sm_70" && strings.Contains(text, ".target sm_80") {
			continue
		}
		out, err := exec.Command(*ptxas, append(options, "-arch", target, "-o", filepath.Join(dir, "code.cubin"), in)...).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("for %s: %v\n%s", target, err, out)
		}
	}
}

// TestAssembleFunctions has all functions assembled.
func TestAssembleFunctions(t *testing.T) {
	var head, entries strings.Builder
	declared := map[ptx.Table]bool{}
	for i, name := range slices.Sorted(maps.Keys(ptx.Functions())) {
		c := newFunctionCase(t, name)
		for _, table := range c.function.Tables {
			if !declared[table] {
				head.WriteString(table.Declaration())
			}
			declared[table] = true
		}
		entries.WriteString(c.entry(fmt.Sprintf("k%d", i)))
	}
	assemble(t, moduleHead+head.String()+entries.String(), warnSpills)
}

// TestAssemblePrograms has random programs assembled, many in one text.
func TestAssemblePrograms(t *testing.T) {
	const together = 250
	for first := 0; first < numPrograms(); first += together {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			t.Parallel()
			var texts []string
			for i := first; i < min(first+together, numPrograms()); i++ {
				p := generator().Program(rand.New(rand.NewPCG(*seed, uint64(i))))
				if k, err := ptx.Compile(p, nil); err == nil {
					texts = append(texts, k.Text)
				}
			}
			assemble(t, joined(texts))
		})
	}
}

// TestAssembleFolds has folds of random programs assembled.
func TestAssembleFolds(t *testing.T) {
	var texts []string
	for i := range numPrograms() / 20 {
		r := rand.New(rand.NewPCG(*seed+1, uint64(i)))
		p := generator().Program(r)
		addFolds(r, p)
		if k, err := ptx.CompileFolds(p, foldLayouts(r, p), i%2 == 1); err == nil {
			texts = append(texts, k.Text)
		}
	}
	assemble(t, joined(texts))
}

// joined returns one module with the entries of many, and their tables.
func joined(modules []string) string {
	var entries strings.Builder
	tables := map[string]bool{}
	for i, text := range modules {
		head, entry, _ := strings.Cut(text, ".visible .entry "+ptx.Entry)
		for _, line := range strings.Split(strings.TrimPrefix(head, moduleHead), "\n") {
			tables[line] = true
		}
		fmt.Fprintf(&entries, ".visible .entry %s%d%s", ptx.Entry, i, entry)
	}
	return moduleHead + strings.Join(slices.Sorted(maps.Keys(tables)), "\n") + "\n" + entries.String()
}

// TestAssembleProducts has the products assembled.
func TestAssembleProducts(t *testing.T) {
	for _, typ := range ptxtest.ProductTypes {
		for _, copies := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/%v", typ, copies), func(t *testing.T) {
				assemble(t, ptx.ProductText(typ, copies), warnSpills)
			})
		}
	}
}
