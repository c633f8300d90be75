//go:build cuda && fakecuda && linux

package fakedriver_test

import (
	"strings"
	"testing"

	"github.com/tstore/tstore/cudabridge/internal/fakedriver"
)

func TestSet(t *testing.T) {
	t.Cleanup(func() { fakedriver.Set("") })
	for _, text := range []string{"", "devices=0", "memory=1000,version=11080", "cuMemAlloc_v2@3=2,cuMemFree_v2@1=700", ","} {
		if err := fakedriver.Set(text); err != nil {
			t.Errorf("Set(%q): %v", text, err)
		}
	}

	tests := []struct{ text, want string }{
		{"devices", "want KEY=NUMBER"},
		{"devices=many", "want KEY=NUMBER"},
		{"memory=-1", "want KEY=NUMBER"},
		{"colour=3", "want devices, memory, version, capability or FUNCTION@CALL"},
		{"cuMemAlloc_v2@0=2", "calls counted from 1"},
		{"cuMemAlloc_v2@x=2", "calls counted from 1"},
		{"cuMemAlloc@1=2", "this driver has no function cuMemAlloc"},
	}
	for _, tt := range tests {
		if err := fakedriver.Set(tt.text); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Set(%q) = %v, want an error with %q", tt.text, err, tt.want)
		}
	}
}
