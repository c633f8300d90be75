package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	tab := table{right: map[int]bool{1: true}}
	tab.add("größe", "1", "last")
	tab.add("x", "1000", "")
	tab.add("short")
	var b strings.Builder
	if err := tab.write(&b); err != nil {
		t.Fatal(err)
	}
	want := "größe     1  last\nx      1000\nshort\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
