package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/tstore/tstore/internal/testdir"
)

// raceOptions are those of the race detector in the commands that tests run.
const raceOptions = "atexit_sleep_ms=0"

// TestMain makes the test binary double as the commands of the scripts, which run in processes of
// their own.
func TestMain(m *testing.M) {
	testdir.UseMemory()
	// Under the race detector a process sleeps a second before it ends.
	os.Setenv("GORACE", raceOptions)
	testscript.Main(leakChecked{m}, map[string]func(){"tstore": tstoreMain, "fixture": fixtureMain, "damage": damageMain, "tstore-cuda": standInMain})
}

// leakChecked fails a test run that leaves goroutines behind.
type leakChecked struct{ m *testing.M }

func (l leakChecked) Run() int {
	os.Unsetenv(deviceVariable) // tests run commands in this process, which must not become another program
	code := l.m.Run()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	return code
}

// leakExit is no exit code of tstore.
const leakExit = 99

// tstoreMain is main with a check that the command left no goroutine behind.
func tstoreMain() {
	code := run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = leakExit
	}
	exit(code)
}

// shortScripts are those that run with -short, which make race uses: they work in several
// goroutines.
var shortScripts = []string{"backup", "cp", "eval", "import", "job", "snapshot", "tx", "verify"}

var scriptDevice = flag.String("script-device", "", "what computes in the scripts: a `device`, in place of the CPU")

func TestScripts(t *testing.T) {
	dir, files := "testdata/script", []string(nil)
	if testing.Short() {
		for _, name := range shortScripts {
			files = append(files, filepath.Join(dir, name+".txtar"))
		}
		dir = ""
	}
	testscript.Run(t, testscript.Params{
		Dir:   dir,
		Files: files,
		Setup: func(env *testscript.Env) error {
			env.Setenv("GORACE", raceOptions)
			env.Setenv("EVIL", "\x1b[2J")
			npy, err := filepath.Abs("../../interchange/npy/testdata")
			if err != nil {
				return err
			}
			env.Setenv("NPY", npy)
			tstore, err := exec.LookPath("tstore")
			if err != nil {
				return err
			}
			env.Setenv("BIN", filepath.Dir(tstore))
			env.Setenv(deviceVariable, *scriptDevice)
			env.Setenv("LONG", strings.Repeat("x", 10_000))
			env.Setenv("EVIL_RE", "^\x1b\\[2J$")
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "root":
				return os.Geteuid() == 0, nil
			case "cuda", "fakecuda":
				return strings.Contains(builtFor, cond), nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exitsCmd,
		},
		RequireUniqueNames: true,
	})
}

// exitsCmd runs a command and checks its exit code exactly, where "!" takes any failure:
//
//	exits 2 tstore show nosuch
func exitsCmd(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		failed, ok := err.(*exec.ExitError)
		if !ok {
			ts.Fatalf("run %v: %v", args[1:], err)
		}
		got = failed.ExitCode()
	}
	if got != want {
		ts.Fatalf("%v: expected exit code %d, found %d", args[1:], want, got)
	}
}
