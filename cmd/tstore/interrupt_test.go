//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// tstoreIn runs a command on a store and returns what it prints.
func tstoreIn(t *testing.T, store string, args ...string) string {
	t.Helper()
	out, err := exec.Command("tstore", append([]string{"--store", store, "--quiet"}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("tstore %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// TestInterrupt interrupts commands at work: they end at once, with one line,
// and nothing of them is left.
func TestInterrupt(t *testing.T) {
	bare := "import - --name new --raw --dtype uint8 --shape 1000000"
	tests := map[string]struct {
		command string
		// stdin is what arrives on standard input before nothing more does.
		stdin string
		// started reports whether the command is in the middle of its work.
		started func(store string) bool
		signal  os.Signal
	}{
		"import, header":   {command: "import - --name new", stdin: "\x93NUM", started: reads, signal: os.Interrupt},
		"import, elements": {command: bare, stdin: "some", started: stages, signal: os.Interrupt},
		"import, term":     {command: bare, stdin: "some", started: stages, signal: syscall.SIGTERM},
		"append":           {command: "append log - --raw --rows 1000", stdin: "some", started: reads, signal: os.Interrupt},
		"cp":               {command: "cp huge new", started: stages, signal: os.Interrupt},
		"fill":             {command: "fill huge 1", started: stages, signal: os.Interrupt},
		"set":              {command: "set huge --from huge[::-1]", started: stages, signal: os.Interrupt},
		"eval":             {command: "eval new=sqrt(huge)+huge", started: stages, signal: os.Interrupt},
		"eval, change":     {command: "eval huge+=1", started: stages, signal: os.Interrupt},
		"eval, program":    {command: "eval new=huge+1 huge[1:]=7", started: stages, signal: syscall.SIGTERM},
		"show":             {command: "show huge --threshold 5000000000", started: busy, signal: os.Interrupt},
		"import, pipe":     {command: "import PIPE --name new", started: busy, signal: os.Interrupt},
		"import, raw pipe": {command: "import PIPE --name new --raw --dtype uint8 --shape 9", started: stages, signal: syscall.SIGTERM},
		"append, pipe":     {command: "append log PIPE", started: busy, signal: os.Interrupt},
		"set, pipe":        {command: "set log --from PIPE", started: busy, signal: os.Interrupt},
		"blob":             {command: "blob b --file -", stdin: "some", started: reads, signal: os.Interrupt},
		"create":           {command: "create new --dtype uint8 --shape 3000000000 --random 1", started: stages, signal: os.Interrupt},
		"create, columns":  {command: "create new --dtype uint8 --shape 3,1000000000 --random 1 --order F", started: stages, signal: os.Interrupt},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(test.command, "PIPE") && runtime.GOOS != "linux" {
				t.Skip("opening a pipe can be broken off on Linux alone")
			}
			store := filepath.Join(t.TempDir(), "s")
			tstoreIn(t, store, "init")
			tstoreIn(t, store, "create", "log", "--dtype", "uint8", "--shape", "2")
			tstoreIn(t, store, "create", "huge", "--dtype", "uint8", "--shape", "3000000000", "--reserve", "sparse")

			pipe := filepath.Join(t.TempDir(), "pipe.npy")
			if err := unix.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			command := strings.ReplaceAll(test.command, "PIPE", pipe)
			cmd := exec.Command("tstore", append([]string{"--store", store}, strings.Fields(command)...)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			stdin, feed, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			defer feed.Close()
			cmd.Stdin = stdin
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(feed, test.stdin); err != nil {
				t.Fatal(err)
			}
			for deadline := time.Now().Add(30 * time.Second); !drained(t, stdin) || !test.started(store); {
				if time.Now().After(deadline) {
					cmd.Process.Kill()
					cmd.Wait()
					t.Fatalf("the command did not begin its work: %s", stderr.String())
				}
				time.Sleep(5 * time.Millisecond)
			}
			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
			cmd.Wait()
			if !late.Stop() {
				t.Error("the command went on after the signal")
			}
			if code := cmd.ProcessState.ExitCode(); code != 2 || stderr.String() != "tstore: interrupted\n" || stdout.Len() > 0 {
				t.Errorf("exit code %d, printed %q and %q, want 2 and one line", code, stdout.String(), stderr.String())
			}
			if got := tstoreIn(t, store, "ls", "-l"); got != "uint8  (3000000000,)  3000000000  huge\nuint8  (2,)                    2  log\n" {
				t.Errorf("the store holds\n%s", got)
			}
			if got := tstoreIn(t, store, "gc"); got != "removed 0 files, 0 bytes\n" {
				t.Errorf("gc found\n%s", got)
			}
			tstoreIn(t, store, "fsck")
		})
	}
}

// stages reports whether a file is being written that is not visible yet.
func stages(store string) bool {
	entries, err := os.ReadDir(filepath.Join(store, "tmp"))
	return err == nil && len(entries) > 0
}

// busy gives a command time to begin what leaves no trace in the store.
func busy(string) bool {
	time.Sleep(300 * time.Millisecond)
	return true
}

// reads is for commands whose work shows in what they read, see drained.
func reads(string) bool { return true }

// drained reports whether the command has read all that is in the pipe.
func drained(t *testing.T, pipe *os.File) bool {
	t.Helper()
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(pipe.Fd()), Events: unix.POLLIN}}, 0)
	if err != nil && !errors.Is(err, unix.EINTR) {
		t.Fatal(err)
	}
	return err == nil && n == 0
}
