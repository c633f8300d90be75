//go:build linux || darwin

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tstore/tstore/internal/testdir"
)

// TestInterruptEndsALoop interrupts a command in the loop of a shell script, as Ctrl-C does, which
// all processes of a terminal get. bash goes on with the loop unless the command dies of the signal.
func TestInterruptEndsALoop(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	store := filepath.Join(testdir.OnDisk(t), "s")
	tstoreIn(t, store, "init")
	stdin, feed, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	defer feed.Close()

	cmd := exec.Command(bash, "-c", `for i in 1 2 3; do tstore import - --name new --raw --dtype uint8; echo "goes on after $?"; done`)
	cmd.Env = append(os.Environ(), "TSTORE_DIR="+store)
	cmd.Stdin = stdin
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out := &strings.Builder{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := await(func() (bool, error) { return stages(0, store), nil }); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	by := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if got := out.String(); !by.Signaled() || by.Signal() != syscall.SIGINT || got != "tstore: interrupted\n" {
		t.Errorf("the script ended with %v and printed %q", cmd.ProcessState, got)
	}
	if got := tstoreIn(t, store, "gc"); got != "removed 0 files, 0 bytes\n" {
		t.Errorf("gc found\n%s", got)
	}
}
