//go:build linux && !cuda

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

func TestFindCUDAProgram(t *testing.T) {
	const program, text = os.FileMode(0o755), os.FileMode(0o644)
	tests := []struct {
		name  string
		files map[string]os.FileMode // beside/… is the folder of the program, path/… is in PATH
		own   string
		want  string // "" is none
	}{
		{"beside", map[string]os.FileMode{"beside/tstore-cuda": program, "path/tstore-cuda": program}, "beside/tstore", "beside/tstore-cuda"},
		{"in PATH", map[string]os.FileMode{"path/tstore-cuda": program}, "beside/tstore", "path/tstore-cuda"},
		{"beside is no program", map[string]os.FileMode{"beside/tstore-cuda": text, "path/tstore-cuda": program}, "beside/tstore", "path/tstore-cuda"},
		{"none", nil, "beside/tstore", ""},
		{"itself beside", map[string]os.FileMode{"beside/tstore-cuda": program}, "beside/tstore-cuda", ""},
		{"itself in PATH", map[string]os.FileMode{"path/tstore-cuda": program}, "path/tstore-cuda", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("PATH", filepath.Join(dir, "path"))
			for name, mode := range tt.files {
				putFile(t, filepath.Join(dir, name), nil, mode)
			}
			got, err := findCUDAProgram(filepath.Join(dir, tt.own))
			if tt.want == "" {
				if err == nil || !strings.Contains(err.Error(), "make build-cuda") {
					t.Errorf("got %q, %v; want an error that says where to get it", got, err)
				}
				return
			}
			if want := filepath.Join(dir, tt.want); err != nil || got != want {
				t.Errorf("got %q, %v; want %q", got, err, want)
			}
		})
	}
}

func TestCheckRevision(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	info, _ := debug.ReadBuildInfo()
	module := "mod\t" + info.Main.Path + "\t" + info.Main.Version
	version := strings.Repeat("9", len(info.Main.Version))
	elsewhere := strings.Repeat("x", len(info.Main.Path))

	tests := []struct {
		name string
		file []byte
		want []string // in the error
	}{
		{"same", whole, nil},
		{"another version", bytes.ReplaceAll(whole, []byte(module), []byte("mod\t"+info.Main.Path+"\t"+version)),
			[]string{info.Main.Version, version, "one revision", own}},
		{"another module", bytes.ReplaceAll(whole, []byte(module), []byte("mod\t"+elsewhere+"\t"+info.Main.Version)),
			[]string{"is no tstore-cuda"}},
		{"no Go program", []byte("#!/bin/sh\n"), []string{"tstore-cuda"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), cudaProgram)
			putFile(t, program, tt.file, 0o755)
			err := checkRevision(own, program)
			if tt.want == nil {
				if err != nil {
					t.Error(err)
				}
				return
			}
			for _, part := range append(tt.want, program) {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Errorf("got %v, want an error with %q", err, part)
				}
			}
		})
	}
}

func putFile(t *testing.T, name string, b []byte, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b, mode); err != nil {
		t.Fatal(err)
	}
}
