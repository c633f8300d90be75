//go:build linux || darwin

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPipes reads from named pipes to which somebody writes later, piece by piece.
func TestPipes(t *testing.T) {
	for name, tc := range map[string]struct {
		command, bytes string
		want           string
	}{
		"raw":    {"import PIPE --name x --raw --dtype uint8 --shape 4", "abcd", "[ 97  98  99 100]\n"},
		"short":  {"import PIPE --name x --raw --dtype uint8 --shape 4", "abc", ""},
		"append": {"append x PIPE --raw --rows 2", "ab", "[ 0  0 97 98]\n"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			store, pipe := filepath.Join(dir, "s"), filepath.Join(dir, "pipe")
			if err := unix.Mkfifo(pipe, 0o600); err != nil {
				t.Fatal(err)
			}
			tstoreIn(t, store, "init")
			if name == "append" {
				tstoreIn(t, store, "create", "x", "--dtype", "uint8", "--shape", "2")
			}
			written := make(chan error, 1)
			go func() { written <- writeSlowly(pipe, tc.bytes) }()
			var out, errs bytes.Buffer
			args := append([]string{"--store", store, "--quiet"}, strings.Fields(strings.ReplaceAll(tc.command, "PIPE", pipe))...)
			code := run(args, strings.NewReader(""), &out, &errs)
			if err := <-written; err != nil {
				t.Fatal(err)
			}
			if (code == 0) != (tc.want != "") {
				t.Fatalf("exit code %d, %s", code, errs.String())
			}
			if tc.want == "" {
				return
			}
			if got := tstoreIn(t, store, "show", "x"); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

// TestPipeInFolder imports a folder with a named pipe in it, which nobody writes to.
func TestPipeInFolder(t *testing.T) {
	dir := t.TempDir()
	store, folder := filepath.Join(dir, "s"), filepath.Join(dir, "maps")
	tstoreIn(t, store, "init")
	tstoreIn(t, store, "create", "a", "--dtype", "uint8", "--shape", "4")
	tstoreIn(t, store, "export", "a", folder+"/")
	if err := unix.Mkfifo(filepath.Join(folder, "p.npy"), 0o600); err != nil {
		t.Fatal(err)
	}

	cmd := exec.Command("tstore", "--store", store, "import", folder, "--prefix", "in/")
	late := time.AfterFunc(30*time.Second, func() { cmd.Process.Kill() })
	defer late.Stop()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "passed over 1 other file") {
		t.Errorf("%v, %s", err, out)
	}
	if got, want := tstoreIn(t, store, "ls", "in"), "in/a\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestManyFiles imports more files than can be open at once.
func TestManyFiles(t *testing.T) {
	dir := t.TempDir()
	store := filepath.Join(dir, "s")
	tstoreIn(t, store, "init")
	for i := range 60 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.bin", i)), make([]byte, 100_000), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	few := func(flags string) (string, error) {
		script := fmt.Sprintf("ulimit -n 64 && exec tstore --store %s --quiet import %s/*.bin --dtype uint8 %s", store, dir, flags)
		out, err := exec.Command("sh", "-c", script).CombinedOutput()
		return string(out), err
	}
	if out, err := few(""); err == nil || !strings.Contains(out, "--keep-going") {
		t.Errorf("got %v, %s; want an error that names --keep-going", err, out)
	}
	if got := tstoreIn(t, store, "gc") + tstoreIn(t, store, "ls"); got != "removed 0 files, 0 bytes\n" {
		t.Errorf("left are\n%s", got)
	}
	if out, err := few("--keep-going"); err != nil {
		t.Errorf("with --keep-going: %v, %s", err, out)
	}
	if got := strings.Count(tstoreIn(t, store, "ls"), "\n"); got != 60 {
		t.Errorf("%d tensors, want 60", got)
	}
}

// writeSlowly writes text to a pipe when somebody has opened it: each byte when the one before has
// been read.
func writeSlowly(pipe, text string) error {
	var f *os.File
	err := await(func() (opened bool, err error) {
		f, err = os.OpenFile(pipe, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if errors.Is(err, unix.ENXIO) {
			return false, nil
		}
		return err == nil, err
	})
	if err != nil {
		return err
	}
	defer f.Close()
	look, err := os.OpenFile(pipe, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	defer look.Close()
	for i := range text {
		if _, err := f.WriteString(text[i : i+1]); err != nil {
			return err
		}
		if err := await(func() (bool, error) { return drained(look) }); err != nil {
			return err
		}
	}
	return nil
}

// drained reports whether all that was written to a pipe has been read.
func drained(pipe *os.File) (bool, error) {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(pipe.Fd()), Events: unix.POLLIN}}, 0)
	if errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return n == 0, err
}

// await waits until something is so, but not for ever.
func await(isSo func() (bool, error)) error {
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		switch so, err := isSo(); {
		case so || err != nil:
			return err
		case time.Now().After(deadline):
			return errors.New("it did not become so in half a minute")
		}
	}
}
