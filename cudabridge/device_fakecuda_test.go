//go:build cuda && fakecuda && linux

package cudabridge_test

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/cudabridge"
	"github.com/tstore/tstore/cudabridge/internal/driver"
	"github.com/tstore/tstore/cudabridge/internal/fakedriver"
	"github.com/tstore/tstore/mmapstore"
)

// set changes the fake driver once it is loaded, which takes the settings of the environment.
func set(t *testing.T, settings string) {
	t.Helper()
	if err := driver.Load(); err != nil {
		t.Fatal(err)
	}
	if err := fakedriver.Set(settings); err != nil {
		t.Fatal(err)
	}
}

func TestDevices(t *testing.T) {
	set(t, "devices=2,memory=4096,version=12090")
	want := []cudabridge.Device{
		{Place: mmapstore.GPU(0), Name: "fake GPU 0", TotalBytes: 4096, Major: 9},
		{Place: mmapstore.GPU(1), Name: "fake GPU 1", TotalBytes: 4096, Major: 9},
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got, err := cudabridge.Devices()
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
	all.Wait()
	if v, err := cudabridge.DriverVersion(); v.String() != "12.9" || err != nil {
		t.Errorf("got version %v, %v; want 12.9", v, err)
	}
}

func TestDevicesFail(t *testing.T) {
	tests := []struct {
		settings string
		is       error
		want     string // in the error
	}{
		{"devices=0", cudabridge.ErrNoDevice, "no GPU"},
		{"version=10020", cudabridge.ErrOldDriver, "CUDA 10.2, and 11.0 or newer"},
		{"cuDriverGetVersion@1=999", nil, "version"},
		{"cuDeviceGetCount@1=999", nil, "count CUDA devices"},
		{"devices=2,cuDeviceGet@2=101", nil, "CUDA device 1"},
		{"cuDeviceGetName@1=999", nil, "CUDA device 0"},
		{"cuDeviceTotalMem_v2@1=999", nil, "CUDA device 0"},
		{"cuDeviceGetAttribute@1=999", nil, "CUDA device 0"},
		{"cuDeviceGetAttribute@2=999", nil, "CUDA device 0"},
	}
	for _, tt := range tests {
		set(t, tt.settings)
		list, err := cudabridge.Devices()
		if err == nil || list != nil || !strings.Contains(err.Error(), tt.want) || tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%s: got %v, %v; want an error with %q", tt.settings, list, err, tt.want)
		}
	}
	set(t, "")
	if _, err := cudabridge.Devices(); err != nil {
		t.Errorf("after the faults: %v", err)
	}
}
