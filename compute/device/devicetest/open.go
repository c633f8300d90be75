package devicetest

import "testing"

// Open returns a Device for a test of code that makes no mistakes. When the test ends, it fails if
// there are any, or if something is left on the device. o may be nil.
func Open(t testing.TB, o *Options) *Device {
	t.Helper()
	d := New(o)
	t.Cleanup(func() {
		for _, err := range d.Mistakes() {
			t.Errorf("a mistake: %v", err)
		}
		if l := d.Live(); l.Queues+l.Modules+l.Blocks > 0 {
			t.Errorf("left on the device: %+v", l)
		}
		_ = d.Close() // which the test may have done
	})
	return d
}
