package main

import (
	"bytes"
	"debug/elf"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The programs as they are built for users: `make cuda-test` and `make build-check` name them.
var (
	builtTstore = flag.String("tstore", "", "bin/tstore, for TestCUDAProgram and TestBuild")
	builtCUDA   = flag.String("tstore-cuda", "", "bin/tstore-cuda, for TestCUDAProgram")
)

// programs runs the two programs in a folder of their own.
type programs struct {
	tstore, cuda string
	env          []string
}

func (p programs) with(env ...string) programs {
	p.env = append(p.env[:len(p.env):len(p.env)], env...)
	return p
}

// run returns the exit code of a program, and what it prints.
func (p programs) run(t *testing.T, program string, args ...string) (int, string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = filepath.Dir(p.tstore)
	cmd.Env = append(os.Environ(), p.env...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// check runs a program and compares its exit code, and a part of what it prints.
func (p programs) check(t *testing.T, code int, part, program string, args ...string) {
	t.Helper()
	if got, out := p.run(t, program, args...); got != code || !strings.Contains(out, part) {
		t.Errorf("%s %q: got exit code %d and\n%swant %d and %q", filepath.Base(program), args, got, out, code, part)
	}
}

// TestCUDAProgram starts the programs that users get, where there is no driver and with one in C.
func TestCUDAProgram(t *testing.T) {
	if *builtTstore == "" || *builtCUDA == "" {
		t.Skip("make cuda-test builds both programs and gives their paths with -tstore and -tstore-cuda")
	}
	dir := t.TempDir()
	p := programs{tstore: copyProgram(t, *builtTstore, dir, "tstore"), cuda: copyProgram(t, *builtCUDA, dir, "tstore-cuda")}

	t.Run("needs no libcuda", func(t *testing.T) {
		f, err := elf.Open(p.cuda)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		libraries, err := f.ImportedLibraries()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range libraries {
			if strings.Contains(name, "cuda") {
				t.Errorf("tstore-cuda does not start without %s", name)
			}
		}
	})
	t.Run("without a driver", p.testNoDriver)
	t.Run("broken driver", p.testBrokenDriver)
	t.Run("driver in C", p.testDriver)
	t.Run("another revision", p.testOtherRevision)
	t.Run("starts as fast", p.testStart)
}

func (p programs) testNoDriver(t *testing.T) {
	if _, out := p.run(t, p.cuda, "devices"); strings.Contains(out, "gpu:0") {
		t.Skip("this machine has a GPU with a driver: what tstore says without one shows elsewhere")
	}
	const missing = "no NVIDIA driver: libcuda.so.1: cannot open shared object file"
	for _, program := range []string{p.tstore, p.cuda} {
		p.check(t, 0, "no GPU: "+missing, program, "devices")
		p.check(t, 2, "tstore: --device gpu:0: "+missing, program, "eval", "--device", "gpu:0", "1 + 1")
		p.with(deviceVariable+"=gpu:0").check(t, 2, "tstore: $TSTORE_DEVICE gpu:0: "+missing, program, "eval", "1 + 1")
		p.check(t, 0, "", program, "--store", t.TempDir(), "init")
	}
}

// A library that can't be loaded is no driver, and the words of the system say what is wrong.
func (p programs) testBrokenDriver(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "libcuda.so.1"), []byte("no library"), 0o755); err != nil {
		t.Fatal(err)
	}
	broken := p.with("LD_LIBRARY_PATH=" + dir)
	broken.check(t, 0, "no GPU: no NVIDIA driver: "+dir, p.cuda, "devices")
	broken.check(t, 2, "no NVIDIA driver: "+dir, p.tstore, "eval", "--device", "gpu:0", "1 + 1")
}

func (p programs) testDriver(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("the driver of this test is written in C, and there is no compiler: ", err)
	}
	dir := t.TempDir()
	if out, err := exec.Command(cc, "-shared", "-fPIC", "-o", filepath.Join(dir, "libcuda.so.1"), "testdata/libcuda/libcuda.c").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p = p.with("LD_LIBRARY_PATH=" + dir)

	// What the driver says, asked by either program.
	for _, program := range []string{p.tstore, p.cuda} {
		p.check(t, 0, `{"device":"gpu:0","name":"a GPU in C","memory":3221225472,"capability":"9.1","driver":"12.9","missing":""}`, program, "devices", "--json")
		p.check(t, 2, "--device gpu:1: the driver has 1 GPU, the last of them gpu:0", program, "eval", "--device", "gpu:1", "1 + 1")
		p.check(t, 2, "--device gpu:0: open gpu:0: make a context: NotSupported (CUDA error 801)", program, "eval", "--device", "gpu:0", "1 + 1")
	}

	// Drivers that can't be used.
	for env, want := range map[string]string{
		"LIBCUDA_INIT=100":      "the NVIDIA driver has no GPU for this process",
		"LIBCUDA_INIT=803":      "start the NVIDIA driver: driver and library do not fit (CUDA error 803)",
		"LIBCUDA_INIT=999":      "start the NVIDIA driver: CUDA error 999",
		"LIBCUDA_VERSION=10020": "the NVIDIA driver is too old: it is for CUDA 10.2, and 11.0 or newer is needed",
	} {
		p.with(env).check(t, 0, "no GPU: "+want+"\n", p.cuda, "devices")
		p.with(env).check(t, 2, "--device gpu:0: "+want+"\n", p.tstore, "eval", "--device", "gpu:0", "1 + 1")
	}

	// The CPU computes without a look at the driver.
	store := t.TempDir()
	p.check(t, 0, "", p.cuda, "--store", store, "init")
	p.with("LIBCUDA_INIT=999").check(t, 0, "2", p.cuda, "--store", store, "eval", "--device", "cpu", "1 + 1")
}

// testOtherRevision changes what tstore-cuda says of the version that it was built from.
func (p programs) testOtherRevision(t *testing.T) {
	b, err := os.ReadFile(p.cuda)
	if err != nil {
		t.Fatal(err)
	}
	_, text := p.run(t, p.cuda, "version")
	version := strings.Fields(text)[1]
	other := strings.Repeat("9", len(version))
	const module = "mod\tgithub.com/tstore/tstore\t"
	b = bytes.ReplaceAll(b, []byte(module+version), []byte(module+other))

	dir := t.TempDir()
	tstore, cuda := copyProgram(t, p.tstore, dir, "tstore"), filepath.Join(dir, "tstore-cuda")
	if err := os.WriteFile(cuda, b, 0o755); err != nil {
		t.Fatal(err)
	}
	p.check(t, 2, tstore+" is "+version, tstore, "eval", "--device", "gpu:0", "1 + 1")
	p.check(t, 2, cuda+" is "+other, tstore, "eval", "--device", "gpu:0", "1 + 1")
	p.check(t, 0, "no GPU: "+tstore+" is "+version, tstore, "devices")
}

// Starting takes as long with CUDA as without: the best of several, beside each other.
func (p programs) testStart(t *testing.T) {
	const most, times = 1.5, 40
	best := map[string]time.Duration{p.tstore: time.Hour, p.cuda: time.Hour}
	for range times {
		for program := range best {
			began := time.Now()
			if code, out := p.run(t, program, "version"); code != 0 {
				t.Fatalf("%s version: %s", program, out)
			}
			best[program] = min(best[program], time.Since(began))
		}
	}
	ratio := float64(best[p.cuda]) / float64(best[p.tstore])
	t.Logf("tstore version %v, tstore-cuda version %v: %.2f times", best[p.tstore], best[p.cuda], ratio)
	if ratio > most {
		t.Errorf("tstore-cuda takes %.2f times as long as tstore to start, want at most %v", ratio, most)
	}
}

func copyProgram(t *testing.T, from, dir, name string) string {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, name)
	if err := os.WriteFile(to, b, 0o755); err != nil {
		t.Fatal(err)
	}
	return to
}
