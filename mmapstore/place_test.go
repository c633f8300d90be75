package mmapstore_test

import (
	"testing"

	"github.com/tstore/tstore/mmapstore"
)

func TestParsePlace(t *testing.T) {
	tests := []struct {
		text  string
		place mmapstore.Place
		ok    bool
	}{
		{"cpu", mmapstore.CPU, true},
		{"gpu", mmapstore.GPU(0), true},
		{"gpu:0", mmapstore.GPU(0), true},
		{"gpu:17", mmapstore.GPU(17), true},
		{"", 0, false}, {"CPU", 0, false}, {"cpu:0", 0, false}, {"gpu:", 0, false}, {"gpu:-1", 0, false},
		{"gpu:+1", 0, false}, {"gpu:01", 0, false}, {"gpu:99999999999999999999", 0, false}, {"3", 0, false},
	}
	for _, test := range tests {
		if p, err := mmapstore.ParsePlace(test.text); p != test.place || (err == nil) != test.ok {
			t.Errorf("ParsePlace(%q) = %v, %v", test.text, p, err)
		}
	}
}

func TestPlaceString(t *testing.T) {
	for p, want := range map[mmapstore.Place]string{mmapstore.CPU: "cpu", mmapstore.GPU(2): "gpu:2", -5: "Place(-5)"} {
		if got := p.String(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if _, ok := mmapstore.CPU.GPU(); ok {
		t.Error("the CPU is a GPU")
	}
	if n, ok := mmapstore.GPU(4).GPU(); n != 4 || !ok {
		t.Errorf("GPU(4) is %d, %v", n, ok)
	}
}

func FuzzParsePlace(f *testing.F) {
	for _, text := range []string{"cpu", "gpu", "gpu:0", "gpu:65535", "gpu:65536", "gpu:x", "tpu:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := mmapstore.ParsePlace(text)
		if err != nil {
			return
		}
		if again := p.String(); again != text && text != "gpu" {
			t.Errorf("%q was read as %q", text, again)
		}
	})
}
