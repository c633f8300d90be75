package devicecheck

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var ptxas = flag.String("ptxas", "", "NVIDIA's assembler, which is to take all modules")

// TestAssemble has NVIDIA's assembler take the modules that are written here.
func TestAssemble(t *testing.T) {
	if *ptxas == "" {
		t.Skip("no -ptxas: make ptx-check sets it")
	}
	for name, text := range map[string]string{"copy": copyText(), "mma": mmaText} {
		file := filepath.Join(t.TempDir(), "text.ptx")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(*ptxas, "-arch", "sm_90", "-o", os.DevNull, file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", name, err, out, text)
		}
	}
}
