package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgress(t *testing.T) {
	now := time.Unix(0, 0)
	var b strings.Builder
	p := newProgress(&b, "import x.npy", 4<<20, func() time.Time { return now })
	p.update(1)
	now = now.Add(time.Second)
	p.update(1 << 20)
	p.update(2 << 20)
	p.done()
	want := "\rimport x.npy  1.0 MiB of 4.0 MiB  1.0 MiB/s  25%  3s left\x1b[K" + "\r\x1b[K"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestProgressTooShortToDraw(t *testing.T) {
	var b strings.Builder
	p := newProgress(&b, "x", 1, func() time.Time { return time.Unix(0, 0) })
	p.update(1)
	p.done()
	if b.String() != "" {
		t.Errorf("drew %q, want nothing", b.String())
	}
}

func TestNoProgressWithoutTerminal(t *testing.T) {
	for name, a := range map[string]*app{"no terminal": {}, "quiet": {terminalErr: true, quiet: true}} {
		if p := a.progress("x", 1); p != nil {
			t.Errorf("%s: there is a progress line, want none", name)
		} else {
			p.update(1)
			p.done()
		}
	}
}
