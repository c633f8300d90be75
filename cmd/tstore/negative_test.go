package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProtectNegative(t *testing.T) {
	tests := map[string]string{
		"ls -l":                            "ls -l",
		"attr x off -5":                    "attr -- x off -5",
		"attr x off -.5e3 --type float":    "attr --type float -- x off -.5e3",
		"--store d attr x off -inf":        "attr --store d -- x off -inf",
		"attr x off --type=int -5 --quiet": "attr --type=int --quiet -- x off -5",
		"attr x off -- -5":                 "attr x off -- -5",
		"get x --limit -1":                 "get --limit -1 -- x",
		"attr x off -nosuch":               "attr x off -nosuch",
		"nosuch -1":                        "nosuch -1",
		"-1":                               "-1",
	}
	for line, want := range tests {
		t.Run(line, func(t *testing.T) {
			got := protectNegative(newRoot(&app{}), strings.Fields(line))
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
