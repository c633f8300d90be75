//go:build linux || darwin

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestPipes reads from named pipes to which somebody writes later, piece by
// piece.
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

func writeSlowly(pipe, text string) error {
	time.Sleep(100 * time.Millisecond)
	f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	for i := range text {
		if _, err := f.WriteString(text[i : i+1]); err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return f.Close()
}
