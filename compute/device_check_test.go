package compute

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// checked runs a program on a device, and returns what the plan says of it.
func (p *randomProgram) checked(t *testing.T, text string, d device.Device, o Options) (explained string, err error) {
	t.Helper()
	stmts, err := ParseProgram(text)
	if err != nil {
		t.Fatal(err)
	}
	o.Device = d
	plan, err := NewPlan(t.Context(), stmts, Env{Lookup: func(name string) (*view.Tensor, error) { return p.operands[name], nil }}, &o)
	if err != nil {
		t.Fatal(err)
	}
	err = plan.Run(t.Context())
	return plan.String(), errors.Join(err, plan.Close())
}

// What a device computes is compared with what the CPU does, and a bit that differs is found.
func TestCheckDevice(t *testing.T) {
	tests := []struct {
		text  string
		types []dtype.Type
		where string // of what differs
	}{
		{"a*2 + b", nil, "element "},
		{"a.T*b.T + c[:1, :1]", nil, "element "},
		{"a*b[:1] + c[:, :1]", nil, "element "},
		{"arange(9000).reshape(100, 90)*2 + a", nil, "element "},
		{"a > b", nil, "element "},
		{"sqrt(a - 5)*a", nil, "element "},

		{"sum(a)", []dtype.Type{dtype.Float32, dtype.Float64, dtype.Float16, dtype.Int8, dtype.Complex64, dtype.Complex128, dtype.Bool}, " of fold 1, in box "},
		{"sum(a*b, axis=0)", []dtype.Type{dtype.Float32, dtype.Float64, dtype.BFloat16, dtype.Int64, dtype.Complex128}, " of fold 1, in box "},
		{"max(a + b, axis=1)", []dtype.Type{dtype.Float32, dtype.Int16}, "accumulator "},
		{"norm(a, axis=0)", []dtype.Type{dtype.Float64}, "what was lost by accumulator "},
		{"mean(a, where=b > c)", []dtype.Type{dtype.Float32}, " of fold 2, in box "},
		{"s = sum(a.T, axis=1); t = max(a); s - t", nil, " of fold "},

		{"a[:9, :20] @ b[:7, :20].T", []dtype.Type{dtype.Float32, dtype.Float64, dtype.Float16, dtype.Int8, dtype.Int64, dtype.Complex64, dtype.Complex128}, "of product 1 of 1"},
		{"a.reshape(30, 300)[:2] @ b.reshape(30, 300)[:3].T", []dtype.Type{dtype.Float64}, "of product 1 of 1"},
		{"a.T[::-9] @ b[:, 3:7]", nil, "of product 1 of 1"},
		{"a.reshape(3, 5, 600)[:, :2, :11] @ b.reshape(3, 5, 600)[0, :, :11].T", nil, " of 3"},
	}
	for _, tt := range tests {
		if tt.types == nil {
			tt.types = []dtype.Type{dtype.Float32}
		}
		for _, dt := range tt.types {
			t.Run(fmt.Sprint(tt.text, " of ", dt), func(t *testing.T) {
				t.Parallel()
				p := newOperands(t, dt, 100, 90)
				d := devicetest.New(nil)
				for _, o := range []Options{{CheckDevice: 1, Parallelism: 2}, {CheckDevice: 1, MemoryLimit: 1 << 20}} {
					explained, err := p.checked(t, tt.text, d, o)
					if err != nil {
						t.Error(err)
					}
					var checked, parts int
					_, line, _ := strings.Cut(explained, "checked:   the CPU computed ")
					if _, err := fmt.Sscanf(line, "%d of %d parts of what gpu:0 computes as well", &checked, &parts); err != nil || checked == 0 || checked != parts {
						t.Errorf("%d of %d parts were checked: %v\n%s", checked, parts, err, explained)
					}
				}

				_, err := p.checked(t, tt.text, devicetest.Liar{Device: d}, Options{CheckDevice: 1})
				if !errors.Is(err, ErrDeviceMismatch) || !strings.Contains(err.Error(), "on gpu:0 and") || !strings.Contains(err.Error(), tt.where) {
					t.Errorf("with a bit changed: %v", err)
				}
				if _, err := p.checked(t, tt.text, devicetest.Liar{Device: d}, Options{}); err != nil {
					t.Errorf("with a bit changed, and not checked: %v", err)
				}
				if err := d.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// The share to be checked is from 0 to 1, and about as many parts are.
func TestCheckDeviceShare(t *testing.T) {
	p := newOperands(t, dtype.Float32, 300, 290)
	for _, share := range []float64{-0.1, 1.5} {
		if _, _, err := p.run(t.Context(), "a", &Options{CheckDevice: share}); err == nil || !strings.Contains(err.Error(), "a share from 0 to 1") {
			t.Error(err)
		}
	}
	d := devicetest.New(nil)
	explained, err := p.checked(t, "sum(a*b, axis=1)", d, Options{CheckDevice: 1e-9})
	if err != nil || !strings.Contains(explained, "checked:   the CPU computed 0 of ") {
		t.Errorf("%v\n%s", err, explained)
	}
	finish(t, d)
}
