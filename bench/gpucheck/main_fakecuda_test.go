//go:build cuda && fakecuda && linux

package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/devicecheck"
	"github.com/tstore/tstore/internal/ptxvm/ptxcase"
)

// asProgram is set where the test binary is to be gpu-check.
const asProgram = "GPU_CHECK_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// check runs the program over the fake driver, small, and returns its figures, what it printed and
// its exit code.
func check(t *testing.T, settings string, args ...string) (r report, out string, code int) {
	t.Helper()
	dir := t.TempDir()
	args = append([]string{"-scale", "0.0002", "-dir", dir, "-json", filepath.Join(dir, "json"), "-golden", filepath.Join(dir, "golden")}, args...)
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "FAKECUDA="+settings)
	text, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	figures, err := os.ReadFile(filepath.Join(dir, "json"))
	if err == nil {
		if err := json.Unmarshal(figures, &r); err != nil {
			t.Error(err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, "gpu-check*")); len(left) > 0 || err != nil {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if code == 0 && strings.Contains(string(text), "instructions") {
		f, err := os.Open(filepath.Join(dir, "golden"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if g, err := ptxcase.Read(f); err != nil || len(g.Results) == 0 {
			t.Errorf("the golden file: %v, %v", g, err)
		}
	}
	return r, string(text), code
}

// The whole program runs, and finds nothing wrong.
func TestCheck(t *testing.T) {
	r, out, code := check(t, "")
	t.Log(out)
	if code != 0 || r.count(devicecheck.Wrong) > 0 {
		t.Errorf("exit code %d", code)
	}
	if r.GPU != "fake GPU 0" || r.Capability != "9.0" || r.Driver != "12.9" || len(r.Figures) < 30 {
		t.Errorf("the report: %+v", r)
	}
}

// A driver that fails, and one that is not there, are told from wrong bits.
func TestCheckFails(t *testing.T) {
	for _, tt := range []struct {
		settings string
		code     int
		want     string
	}{
		{"cuLaunchKernel@2=719", exitWrong, "wrong   products"},
		{"devices=0", exitFailed, "no GPU"},
	} {
		_, out, code := check(t, tt.settings, "-parts", "^products$")
		if code != tt.code || !strings.Contains(out, tt.want) {
			t.Errorf("%s: exit code %d, want %d, and %q in\n%s", tt.settings, code, tt.code, tt.want, out)
		}
	}
}
