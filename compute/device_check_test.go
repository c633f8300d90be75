package compute

import (
	"errors"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
)

// What a device computes is compared with what the CPU does, and a bit that differs is found.
func TestCheckDevice(t *testing.T) {
	p := newOperands(t, dtype.Float32, 100, 90)
	texts := []string{"a*2 + b", "a.T*b.T + c[:1, :1]", "a*b[:1] + c[:, :1]", "arange(9000).reshape(100, 90)*2 + a", "a > b", "sqrt(a - 5)*a"}
	for _, text := range texts {
		d := devicetest.New(nil)
		honest := &Options{Device: d, CheckDevice: 1, Parallelism: 2}
		if _, _, err := p.run(t.Context(), text, honest); err != nil {
			t.Errorf("%s: %v", text, err)
		}

		_, _, err := p.run(t.Context(), text, &Options{Device: devicetest.Liar{Device: d}, CheckDevice: 1})
		if !errors.Is(err, ErrDeviceMismatch) || !strings.Contains(err.Error(), "on gpu:0 and") {
			t.Errorf("%s with a bit changed: %v", text, err)
		}
		if _, _, err := p.run(t.Context(), text, &Options{Device: devicetest.Liar{Device: d}}); err != nil {
			t.Errorf("%s with a bit changed, and not checked: %v", text, err)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, _, err := p.run(t.Context(), "a", &Options{CheckDevice: 1.5}); err == nil || !strings.Contains(err.Error(), "a share from 0 to 1") {
		t.Error(err)
	}
}
