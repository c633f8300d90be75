package main

import (
	"strings"
	"testing"

	"github.com/tstore/tstore/catalog"
)

// What is printed for a person must not drive the terminal.
func TestTerminalOutput(t *testing.T) {
	const evil = "a\x1b[2J\u202eb"
	const quoted = `"a\x1b[2J\u202eb"`
	var b strings.Builder
	a := &app{stdout: &b, terminalOut: true}
	if err := a.printValue(catalog.StringValue(evil)); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != quoted+"\n" {
		t.Errorf("printValue wrote %q, want %q", got, quoted+"\n")
	}
	if got := a.name(evil); got != quoted {
		t.Errorf("name = %q, want %q", got, quoted)
	}
	if got := a.name("größe"); got != "größe" {
		t.Errorf("name = %q, want it as it is", got)
	}
	if got := (&app{}).name(evil); got != evil {
		t.Errorf("name for a program = %q, want it as it is", got)
	}
}

func TestBinaryIsKeptFromTerminals(t *testing.T) {
	a := &app{terminalOut: true}
	if err := a.checkBinary(false); err == nil || !strings.Contains(err.Error(), "--force") {
		t.Errorf("checkBinary = %v, want an error that names --force", err)
	}
	if err := a.checkBinary(true); err != nil {
		t.Errorf("checkBinary with --force = %v", err)
	}
	if err := (&app{}).checkBinary(false); err != nil {
		t.Errorf("checkBinary of a pipe = %v", err)
	}
}
