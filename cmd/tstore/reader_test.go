//go:build linux || darwin

package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestReaderGoes closes the pipe that a command writes to, or interrupts the command while it
// writes there: it ends, and leaves nothing in the store.
func TestReaderGoes(t *testing.T) {
	const quiet, interrupted = "", "tstore: interrupted\n"
	const endedBySignal = -1           // as os/exec has it
	hangups := make(chan os.Signal, 1) // a command that is started under nohup ignores them
	signal.Notify(hangups, syscall.SIGHUP)
	defer signal.Stop(hangups)
	tests := map[string]struct {
		command string
		signal  os.Signal // nil: the reader goes
		code    int
		says    string
	}{
		"backup":         {"backup -", nil, 141, quiet},
		"backup, hangup": {"backup -", syscall.SIGHUP, endedBySignal, interrupted},
		"backup, term":   {"backup -", syscall.SIGTERM, endedBySignal, interrupted},
		"cat":            {"cat huge", nil, 141, quiet},
		"show":           {"show log --threshold 100000", nil, 141, quiet},
		"ls":             {"ls --json", nil, 141, quiet},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			store := filepath.Join(t.TempDir(), "s")
			tstoreIn(t, store, "init")
			tstoreIn(t, store, "create", "log", "--dtype", "float64", "--shape", "100000")
			tstoreIn(t, store, "create", "huge", "--dtype", "uint8", "--shape", "30000000000", "--reserve", "sparse")
			cmd := exec.Command("tstore", append([]string{"--store", store}, strings.Fields(test.command)...)...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, feed, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stdout = feed
			if name == "ls" { // it writes once, which must find nobody
				out.Close()
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			feed.Close()
			late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
			if name != "ls" {
				if _, err := out.Read(make([]byte, 1)); err != nil {
					t.Error(err)
				}
			}
			if test.signal != nil {
				if err := cmd.Process.Signal(test.signal); err != nil {
					t.Fatal(err)
				}
				_, _ = io.Copy(io.Discard, out) // a write that waits can't be broken off
			}
			out.Close()
			cmd.Wait()
			if !late.Stop() {
				t.Error("the command went on")
			}
			if code := cmd.ProcessState.ExitCode(); code != test.code || stderr.String() != test.says {
				t.Errorf("exit code %d, printed %q, want %d and %q", code, stderr.String(), test.code, test.says)
			}
			if got := tstoreIn(t, store, "gc"); got != "removed 0 files, 0 bytes\n" {
				t.Errorf("gc found\n%s", got)
			}
			if got := tstoreIn(t, store, "fsck"); got != "0 problems, 0 notes\n" {
				t.Errorf("fsck found\n%s", got)
			}
		})
	}
}
