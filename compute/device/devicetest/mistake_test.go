package devicetest_test

import (
	"strings"
	"testing"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/compute/device/devicetest"
)

// A bench is a device with a queue, for a mistake.
type bench struct {
	*testing.T
	d       *devicetest.Device
	q       device.Queue
	m       device.Module
	in, out []byte // staging memory of 16 bytes
	at      uint64 // 16 bytes, of which 8 were written
}

func newBench(t *testing.T) *bench {
	t.Helper()
	d := devicetest.New(&devicetest.Options{Major: 8, Minor: 0})
	b := &bench{T: t, d: d, q: devicetest.Must(d.NewQueue())(t), m: devicetest.Must(d.Compile(twice))(t)}
	b.in, b.out = devicetest.Must(b.q.Stage(16, device.Written))(t), devicetest.Must(b.q.Stage(16, device.Read))(t)
	b.at = devicetest.Must(b.q.Memory(16))(t)
	devicetest.OK(t, b.q.Upload(b.at, b.in[:8]))
	return b
}

// freed returns an address of memory that was freed.
func (b *bench) freed() uint64 {
	q := devicetest.Must(b.d.NewQueue())(b.T)
	at := devicetest.Must(q.Memory(16))(b.T)
	devicetest.OK(b.T, q.Close())
	return at
}

// TestMistakes does what a GPU forgives, or ends the process for.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(b *bench) error
		want string
	}{
		{"upload of other memory", func(b *bench) error { return b.q.Upload(b.at, make([]byte, 8)) }, "not within staging memory"},
		{"upload of staging memory to read", func(b *bench) error { return b.q.Upload(b.at, b.out) }, "for the other use"},
		{"download to staging memory to write", func(b *bench) error { return b.q.Download(b.in, b.at) }, "for the other use"},
		{"download to other memory", func(b *bench) error { return b.q.Download(make([]byte, 8), b.at) }, "not within staging memory"},
		{"upload to no memory", func(b *bench) error { return b.q.Upload(12345, b.in) }, "belongs to no buffer"},
		{"upload to freed memory", func(b *bench) error { return b.q.Upload(b.freed(), b.in) }, "that was freed"},
		{"upload past the end", func(b *bench) error { return b.q.Upload(b.at+1, b.in) }, "16 bytes at byte 1 of a buffer of 16"},
		{"download from before the beginning", func(b *bench) error { return b.q.Download(b.out, b.at-1) }, "belongs to"},
		{"download of what nobody wrote", func(b *bench) error { return b.q.Download(b.out, b.at) }, "byte 8 of a buffer of 16 was never written"},
		{"launch over freed memory", func(b *bench) error { return b.q.Launch(b.m, twiceAt(b.freed())) }, "thread [0 0 0] of block [0 0 0]"},
		{"launch without parameters", func(b *bench) error {
			l := twiceAt(0)
			l.Params = nil
			return b.q.Launch(b.m, l)
		}, "0 parameters, want 1"},
		{"code for a later device", func(b *bench) error {
			_, err := b.d.Compile(strings.Replace(twice, "sm_70", "sm_90", 1))
			return err
		}, "code for sm_90 on a device of capability 8.0"},
		{"less than no memory", func(b *bench) error { _, err := b.q.Memory(-1); return err }, "-1 bytes"},
		{"a block of less than nothing", func(b *bench) error { _, err := b.d.Alloc(-2); return err }, "-2 bytes"},
		{"staging memory for another use", func(b *bench) error { _, err := b.q.Stage(1, 7); return err }, "for use 7"},
		{"a device that has something", func(b *bench) error { return b.d.Close() }, "queues: 1, modules: 1, blocks: 0"},
		{"a module that is at work", func(b *bench) error {
			defer b.d.Stall()()
			devicetest.OK(b.T, b.q.Launch(b.m, twiceAt(b.at)))
			return b.m.Close()
		}, "1 launches of it are under way"},
		{"a block that was freed", func(b *bench) error {
			block := devicetest.Must(b.d.Alloc(8))(b.T)
			devicetest.OK(b.T, block.Free())
			_, err := block.Device().ReadAt(make([]byte, 8), 0)
			return err
		}, "that was freed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			err := c.do(b)
			if err == nil {
				err = b.q.Wait(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got the error %v, want one with %q", err, c.want)
			}
			if m := b.d.Mistakes(); len(m) != 1 {
				t.Errorf("got the mistakes %v, want one", m)
			}
			devicetest.OK(t, b.q.Close())
			devicetest.OK(t, b.m.Close())
			devicetest.OK(t, b.d.Close())
		})
	}
}
