package main

import (
	"io"
	"strings"
	"testing"
)

func TestFlags(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"-scale 0", "-scale 0: want a number"},
		{"-scale 2", "-scale 2: want a number"},
		{"-device tpu:0", "-device: "},
		{"-parts (", "-parts: "},
		{"-child none", "-child \"none\""},
	} {
		err := run(t.Context(), strings.Fields(tt.args), io.Discard)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got the error %v, want one with %q", tt.args, err, tt.want)
		}
	}
}
