package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseShape(t *testing.T) {
	tests := map[string][]int{
		"3,4":      {3, 4},
		"(3, 4)":   {3, 4},
		" 3 , 4 ,": {3, 4},
		"5":        {5},
		"(5,)":     {5},
		"()":       {},
		"( )":      {},
		"0,2":      {0, 2},
		"-1,2":     {-1, 2},
	}
	for text, want := range tests {
		got, err := parseShape(text)
		if err != nil {
			t.Errorf("parseShape(%q): %v", text, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("parseShape(%q) (-want +got)\n%s", text, diff)
		}
	}
	for _, text := range []string{"", ",", "3,,4", "(3", "3)", "x", "-2", "1.5", "99999999999999999999", "3x4"} {
		if got, err := parseShape(text); err == nil {
			t.Errorf("parseShape(%q) = %v, want an error", text, got)
		}
	}
}

func FuzzParseShape(f *testing.F) {
	for _, text := range []string{"3,4", "(3, 4)", "(5,)", "()", "-1", "(", "1,,2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shape, err := parseShape(text)
		if err != nil {
			return
		}
		again, err := parseShape(formatTuple(shape))
		if err != nil {
			t.Fatalf("parseShape(%q) = %v, which reads back as an error: %v", text, shape, err)
		}
		if diff := cmp.Diff(shape, again); diff != "" {
			t.Fatalf("parseShape(%q) does not survive a round trip\n%s", text, diff)
		}
	})
}
