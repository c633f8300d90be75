package ptx_test

import (
	"flag"
	"fmt"
	"maps"
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
