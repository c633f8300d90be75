//go:build linux || darwin

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tstore/tstore/internal/testdir"
)

// tstoreIn runs a command on a store and returns what it prints.
func tstoreIn(t *testing.T, store string, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	code := run(append([]string{"--store", store, "--quiet"}, args...), strings.NewReader(""), &out, &out)
	if code != 0 {
		t.Fatalf("tstore %s: exit code %d\n%s", strings.Join(args, " "), code, out.String())
	}
	return out.String()
}

// TestInterrupt interrupts commands at work: they end at once, with one line, and nothing of them
// is left.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	bare := "import - --name new --raw --dtype uint8 --shape 1000000"
	tests := map[string]struct {
		command string
		// stdin is what arrives on standard input before nothing more does.
		stdin string
		// started reports whether the command is in the middle of its work.
		started func(process int, store string) bool
		signal  os.Signal
		// says is what it prints more.
		says string
		// unread is set where nobody reads what it prints.
		unread bool
	}{
		"import, header":   {command: "import - --name new", stdin: "\x93NUM", started: reads, signal: os.Interrupt},
		"import, elements": {command: bare, stdin: "some", started: stages, signal: os.Interrupt},
		"import, term":     {command: bare, stdin: "some", started: stages, signal: syscall.SIGTERM},
		"append":           {command: "append log - --raw --rows 1000", stdin: "some", started: reads, signal: os.Interrupt},
		"append, endless":  {command: "append log - --raw", stdin: "some", started: reads, signal: syscall.SIGTERM},
		"import, endless":  {command: "import - --name new --raw --dtype uint8", stdin: "some", started: stages, signal: os.Interrupt},
		"cp":               {command: "cp huge new", started: stages, signal: os.Interrupt},
		"fill":             {command: "fill huge 1", started: stages, signal: os.Interrupt},
		"set":              {command: "set huge --from huge[::-1]", started: stages, signal: os.Interrupt},
		"eval":             {command: "eval new=sqrt(huge)+huge", started: stages, signal: os.Interrupt},
		"eval, change":     {command: "eval huge+=1", started: stages, signal: os.Interrupt},
		"eval, program":    {command: "eval new=huge+1 huge[1:]=7", started: stages, signal: syscall.SIGTERM},
		"tx":               {command: "tx SCRIPT", started: stages, signal: os.Interrupt, says: ": " + errKeepsNothing.Error()},
		"show":             {command: "show huge --threshold 5000000000", started: mapsElements, signal: os.Interrupt},
		"show, computed":   {command: "show (huge+1).sum()", started: mapsElements, signal: os.Interrupt},
		"diff, computed":   {command: "diff huge+1 huge+1", started: mapsElements, signal: os.Interrupt},
		"append, computed": {command: "append log huge+1", started: mapsElements, signal: os.Interrupt},
		"set, computed":    {command: "set huge[huge>1] 1", started: mapsElements, signal: os.Interrupt},
		"cat, computed":    {command: "cat huge+1", started: reads, signal: os.Interrupt, unread: true},
		"import, pipe":     {command: "import PIPE --name new", started: waits, signal: os.Interrupt},
		"import, raw pipe": {command: "import PIPE --name new --raw --dtype uint8 --shape 9", started: stages, signal: syscall.SIGTERM},
		"append, pipe":     {command: "append log PIPE", started: waits, signal: os.Interrupt},
		"set, pipe":        {command: "set log --from PIPE", started: waits, signal: os.Interrupt},
		"blob":             {command: "blob b --file -", stdin: "some", started: reads, signal: os.Interrupt},
		"tx, script":       {command: "tx -", stdin: "create new --dtype uint8", started: reads, signal: syscall.SIGTERM},
		"tx, pipe":         {command: "tx PIPE", started: waits, signal: syscall.SIGTERM},
		"verify, pipe":     {command: "backup --verify PIPE", started: waits, signal: syscall.SIGTERM},
		"restore":          {command: "restore - --name new", stdin: "some", started: reads, signal: os.Interrupt},
		"restore, pipe":    {command: "restore PIPE --name new", started: waits, signal: syscall.SIGTERM},
		"cat, unread":      {command: "cat huge", started: reads, signal: syscall.SIGTERM, unread: true},
		"get, unread":      {command: "get huge", started: reads, signal: os.Interrupt, unread: true},
		"backup, unread":   {command: "backup -", started: reads, signal: os.Interrupt, unread: true},
		"export, unread":   {command: "export huge PIPE", started: reads, signal: syscall.SIGTERM, unread: true},
		"create":           {command: "create new --dtype uint8 --shape 3000000000 --random 1", started: stages, signal: os.Interrupt},
		"create, columns":  {command: "create new --dtype uint8 --shape 3,1000000000 --random 1 --order F", started: stages, signal: os.Interrupt},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if (strings.Contains(test.command, "PIPE") || name == "show" || strings.Contains(name, "computed") || test.unread) && runtime.GOOS != "linux" {
				t.Skip("a pipe that is opened can be broken off on Linux alone, which tells what a process has open, too")
			}
			store := filepath.Join(testdir.OnDisk(t), "s") // where gigabytes are reserved at no cost
			tstoreIn(t, store, "init")
			tstoreIn(t, store, "create", "log", "--dtype", "uint8", "--shape", "2")
			tstoreIn(t, store, "create", "huge", "--dtype", "uint8", "--shape", "3000000000", "--reserve", "sparse")

			pipe := filepath.Join(t.TempDir(), "pipe.npy")
			if err := unix.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			script := filepath.Join(t.TempDir(), "script")
			if err := os.WriteFile(script, []byte("eval new=sqrt(huge)+huge\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			command := strings.NewReplacer("PIPE", pipe, "SCRIPT", script).Replace(test.command)
			cmd := exec.Command("tstore", append([]string{"--store", store}, strings.Fields(command)...)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			var unread *os.File
			var err error
			if test.unread && strings.Contains(command, pipe) {
				unread, err = os.OpenFile(pipe, os.O_RDWR|unix.O_NONBLOCK, 0)
			} else if test.unread {
				var out *os.File
				unread, out, err = os.Pipe()
				defer out.Close()
				cmd.Stdout = out
			}
			if err != nil {
				t.Fatal(err)
			}
			defer unread.Close()
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
			err = await(func() (bool, error) {
				all, err := drained(stdin)
				if unread != nil && err == nil {
					var none bool
					none, err = drained(unread)
					all = all && !none
				}
				return all && test.started(cmd.Process.Pid, store), err
			})
			if err != nil {
				cmd.Process.Kill()
				cmd.Wait()
				t.Fatalf("the command did not begin its work: %v, %s", err, stderr.String())
			}
			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
			cmd.Wait()
			if !late.Stop() {
				t.Error("the command went on after the signal")
			}
			if by := cmd.ProcessState.Sys().(syscall.WaitStatus); !by.Signaled() || by.Signal() != test.signal || stderr.String() != "tstore: interrupted"+test.says+"\n" || stdout.Len() > 0 {
				t.Errorf("%v, printed %q and %q, want death of %v and one line", cmd.ProcessState, stdout.String(), stderr.String(), test.signal)
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
func stages(_ int, store string) bool {
	entries, err := os.ReadDir(filepath.Join(store, "tmp"))
	return err == nil && len(entries) > 0
}

// mapsElements reports whether a process has mapped elements of the store.
func mapsElements(process int, store string) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", process))
	return err == nil && strings.Contains(string(b), filepath.Join(store, "storages"))
}

// waits reports whether a process has opened the pipe, to which nobody writes.
func waits(process int, _ string) bool {
	open, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", process))
	return err == nil && slices.ContainsFunc(open, func(fd string) bool {
		to, err := os.Readlink(fd)
		return err == nil && filepath.Base(to) == "pipe.npy"
	})
}

// reads is for commands whose work shows in what they read, see drained.
func reads(int, string) bool { return true }
