package measure_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/compute/device/measure"
)

// quick are options that take a device in Go no time.
func quick() measure.Options {
	return measure.Options{Bytes: 4 << 10, Time: time.Microsecond, Tries: 1}
}

func closed(t *testing.T, d *devicetest.Device) {
	t.Helper()
	if err := errors.Join(append(d.Mistakes(), d.Close())...); err != nil {
		t.Error(err)
	}
}

func TestMeasure(t *testing.T) {
	d := devicetest.New(nil)
	o := quick()
	r, err := measure.Measure(t.Context(), d, &o)
	if err != nil {
		t.Fatal(err)
	}
	for _, rate := range []float64{r.Up, r.Down, r.Host, r.Float32, r.Float64, r.Start} {
		if rate <= 0 {
			t.Errorf("got %+v, want rates above 0", r)
		}
	}
	for _, part := range []string{" in, ", " float64, ", " to start"} {
		if !strings.Contains(r.String(), part) {
			t.Errorf("%q is not in %q", part, r)
		}
	}
	closed(t, d)
}

// With a clock of equal steps, a rate is what is done between two of them.
func TestMeasureCounts(t *testing.T) {
	var now struct {
		sync.Mutex
		time.Time
	}
	d := devicetest.New(nil)
	o := quick()
	o.Time = time.Millisecond
	o.Now = func() time.Time {
		now.Lock()
		defer now.Unlock()
		now.Time = now.Add(time.Millisecond)
		return now.Time
	}
	r, err := measure.Measure(t.Context(), d, &o)
	if err != nil {
		t.Fatal(err)
	}
	per := func(n float64) float64 { return n / time.Millisecond.Seconds() }
	// One of the directions ends a step later.
	r.Up, r.Down = max(r.Up, r.Down), 0
	want := measure.Rates{Up: per(4096), Host: per(4 * 4096), Float32: per(256 * 128), Float64: per(256 * 128), Start: 0.001}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	closed(t, d)
}

// Less is copied where there is less memory. With next to none, that is an error.
func TestMeasureMemory(t *testing.T) {
	for memory, fits := range map[int64]bool{100 << 10: true, 6 << 10: false} {
		d := devicetest.New(&devicetest.Options{MemoryBytes: memory})
		o := quick()
		o.Bytes = 1 << 20
		_, err := measure.Measure(t.Context(), d, &o)
		if short, ok := errors.AsType[*device.MemoryError](err); ok == fits || !ok && err != nil {
			t.Errorf("%d bytes: %v, %v", memory, err, short)
		}
		closed(t, d)
	}
}

// Whatever fails is the error, and nothing is left on the device.
func TestMeasureFaults(t *testing.T) {
	failed := errors.New("a fault")
	for _, call := range []devicetest.Call{
		devicetest.Compile, devicetest.NewQueue, devicetest.Stage, devicetest.Memory, devicetest.Upload, devicetest.Launch, devicetest.Download, devicetest.Wait,
	} {
		for at := 1; at <= 3; at++ {
			d := devicetest.New(nil)
			d.Fail(devicetest.Fault{Call: call, At: at, Err: failed})
			o := quick()
			_, err := measure.Measure(t.Context(), d, &o)
			if !errors.Is(err, failed) && d.Calls(call) >= at {
				t.Errorf("%v %d: got %v", call, at, err)
			}
			closed(t, d)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := measure.Measure(ctx, devicetest.New(nil), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Rates that are kept are not measured again, unless they are another device's, driver's or
// program's, or nonsense.
func TestCache(t *testing.T) {
	d := devicetest.New(nil)
	defer closed(t, d)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	rates := func(revision string) (r measure.Rates, measured bool) {
		t.Helper()
		before := d.Stats().Launches
		c := measure.Cache{Dir: dir, Revision: revision, Options: quick()}
		r, err := c.Rates(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		return r, d.Stats().Launches > before
	}

	first, measured := rates("one")
	if !measured {
		t.Error("nothing was measured")
	}
	again, measured := rates("one")
	if measured || first != again {
		t.Errorf("got %+v, measured: %t; want %+v as before", again, measured, first)
	}
	if _, measured := rates("two"); !measured {
		t.Error("another revision: nothing was measured")
	}

	// One file is there, and nothing else.
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("got %v, %v; want one file", files, err)
	}
	path := filepath.Join(dir, files[0].Name())
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := map[string]string{
		"empty": "", "no JSON": "{", "a list": "[]", "another device": strings.Replace(string(good), `"devicetest"`, `"H200"`, 1),
		"another driver": strings.Replace(string(good), `"ptxvm"`, `"CUDA"`, 1), "no rate": strings.Replace(string(good), `"up"`, `"below"`, 1),
		"a rate below 0": strings.Replace(string(good), `"up": `, `"up": -`, 1), "long": string(good) + strings.Repeat(" ", 1<<20),
		"processors": strings.Replace(string(good), `"processors": `, `"processors": 9`, 1),
	}
	for name, text := range bad {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, measured := rates("two"); !measured {
			t.Errorf("%s: nothing was measured", name)
		}
		if _, measured := rates("two"); measured {
			t.Errorf("%s: measured twice", name)
		}
	}
}

// A folder that can't be made or written is no error.
func TestCacheCannotWrite(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	d := devicetest.New(nil)
	c := measure.Cache{Dir: filepath.Join(file, "folder"), Options: quick()}
	if r, err := c.Rates(t.Context(), d); err != nil || r.Up <= 0 {
		t.Errorf("got %+v, %v", r, err)
	}
	closed(t, d)
}
