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
)

var (
	ptxas   = flag.String("ptxas", "", "the path of NVIDIA's assembler, which is then to take all code")
	targets = flag.String("targets", "sm_70 sm_80 sm_90 sm_100 sm_120", "what it assembles for")
)

// assemble has NVIDIA's assembler read a text, for all targets.
func assemble(t *testing.T, text string) {
	t.Helper()
	if *ptxas == "" {
		t.Skip("no assembler is given: -ptxas")
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
		out, err := exec.Command(*ptxas, "-arch", target, "-warn-spills", "-o", filepath.Join(dir, "code.cubin"), in).CombinedOutput()
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
	assemble(t, moduleHead+head.String()+entries.String())
}

// TestAssemblePrograms has random programs assembled, many in one text.
func TestAssemblePrograms(t *testing.T) {
	const together = 250
	for first := 0; first < *programs; first += together {
		t.Run(fmt.Sprint(first), func(t *testing.T) {
			t.Parallel()
			assemble(t, programsFrom(first, together))
		})
	}
}

// programsFrom returns a module with some random programs.
func programsFrom(first, n int) string {
	var entries strings.Builder
	tables := map[string]bool{}
	for i := first; i < min(first+n, *programs); i++ {
		p := generator().Program(rand.New(rand.NewPCG(*seed, uint64(i))))
		k, err := ptx.Compile(p, nil)
		if err != nil {
			continue
		}
		head, entry, _ := strings.Cut(k.Text, ".visible .entry "+ptx.Entry)
		for _, line := range strings.Split(strings.TrimPrefix(head, moduleHead), "\n") {
			tables[line] = true
		}
		fmt.Fprintf(&entries, ".visible .entry %s%d%s", ptx.Entry, i, entry)
	}
	return moduleHead + strings.Join(slices.Sorted(maps.Keys(tables)), "\n") + "\n" + entries.String()
}

// TestAssembleProducts has the products assembled.
func TestAssembleProducts(t *testing.T) {
	for _, typ := range productTypes {
		for _, copies := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v/%v", typ, copies), func(t *testing.T) {
				assemble(t, ptx.ProductText(typ, copies))
			})
		}
	}
}
