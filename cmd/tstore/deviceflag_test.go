package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/mmapstore"
)

func TestDeviceFlag(t *testing.T) {
	tests := []struct {
		text string
		want deviceFlag
		form string // what String returns
	}{
		{"cpu", deviceFlag{place: mmapstore.CPU}, "cpu"},
		{"gpu", deviceFlag{place: mmapstore.GPU(0)}, "gpu:0"},
		{"gpu:0", deviceFlag{place: mmapstore.GPU(0)}, "gpu:0"},
		{"gpu:7", deviceFlag{place: mmapstore.GPU(7)}, "gpu:7"},
		{"cuda", deviceFlag{place: mmapstore.GPU(0)}, "gpu:0"},
		{"cuda:1", deviceFlag{place: mmapstore.GPU(1)}, "gpu:1"},
		{"auto", deviceFlag{auto: true}, "auto"},
	}
	for _, tt := range tests {
		got := deviceFlag{place: mmapstore.GPU(3), auto: true}
		if err := got.Set(tt.text); err != nil {
			t.Errorf("Set(%q): %v", tt.text, err)
		}
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(deviceFlag{})); diff != "" {
			t.Errorf("Set(%q) (-want +got):\n%s", tt.text, diff)
		}
		if got.String() != tt.form {
			t.Errorf("String after Set(%q) = %q, want %q", tt.text, got.String(), tt.form)
		}
	}

	for _, text := range []string{"", "CPU", "tpu", "gpu:", "gpu:-1", "gpu:01", "gpu:99999999", "cuda0", "cpu:0", "auto:0"} {
		var f deviceFlag
		err := f.Set(text)
		if err == nil || !strings.Contains(err.Error(), "want cpu, gpu:N (such as gpu:0) or auto") {
			t.Errorf("Set(%q) = %v, want an error that lists the devices", text, err)
		}
		if f != (deviceFlag{}) {
			t.Errorf("Set(%q) left %v", text, f)
		}
	}
}
