package devicetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/compute/device"
	"github.com/tstore/tstore/mmapstore"
)

func testInfo(t *testing.T, d device.Device) {
	i := d.Info()
	if _, ok := i.Place.GPU(); !ok || i.Place != d.Place() {
		t.Errorf("the place is %v, and %v of the allocator: want the same GPU", i.Place, d.Place())
	}
	if i.Name == "" || i.Major < 1 || i.Minor < 0 {
		t.Errorf("the device is %q of capability %d.%d", i.Name, i.Major, i.Minor)
	}
	if i.LimitBytes < 1 || i.LimitBytes > i.TotalBytes {
		t.Errorf("the limit is %d of %d bytes", i.LimitBytes, i.TotalBytes)
	}
	if diff := cmp.Diff(i, d.Info()); diff != "" {
		t.Error("another Info the second time:", diff)
	}
}

// Memory of queues and blocks count together, up to the limit.
func testLimit(t *testing.T, d device.Device) {
	limit := d.Info().LimitBytes
	r := newRig(t, d)
	defer r.close()
	_, err := r.Memory(limit + 1)
	wantMemoryError(t, d, err, limit+1, 0)
	_, err = d.Alloc(limit + 1)
	wantMemoryError(t, d, err, limit+1, 0)

	r.memory(int(limit / 4))
	b := must(d.Alloc(limit / 4))(t)
	_, err = r.Memory(limit * 3 / 4)
	wantMemoryError(t, d, err, limit*3/4, limit/4*2)
	_, err = d.Alloc(limit * 3 / 4)
	wantMemoryError(t, d, err, limit*3/4, limit/4*2)

	// A queue can be used after that, and the memory of the block goes to it.
	ok(t, b.Free())
	r.memory(int(limit / 2))
	got := r.down(r.up([]byte("still there")), 11)
	r.wait()
	wantBytes(t, "a queue after a MemoryError", got, []byte("still there"))
}

func wantMemoryError(t *testing.T, d device.Device, err error, asked, used int64) {
	t.Helper()
	e, is := errors.AsType[*device.MemoryError](err)
	if !is {
		t.Fatalf("got the error %v, want a MemoryError", err)
	}
	if i := d.Info(); e.Place != i.Place || e.Asked != asked || e.Limit != i.LimitBytes || e.Used < used || e.Used > e.Limit {
		t.Errorf("got %+v, want %d bytes asked of %d, and at least %d of them in use", *e, asked, i.LimitBytes, used)
	}
}

// Close of a queue and Free of a block give memory back.
func testMemoryComesBack(t *testing.T, d device.Device) {
	most := d.Info().LimitBytes * 3 / 4
	for range 5 {
		r := newRig(t, d)
		r.memory(int(most))
		r.close()
		ok(t, must(d.Alloc(most))(t).Free())
	}
}

func testSizes(t *testing.T, d device.Device) {
	b := must(d.Alloc(0))(t)
	if b.Size() != 0 {
		t.Errorf("a block of no bytes has %d", b.Size())
	}
	ok(t, b.Free())

	_, err := d.Alloc(-1)
	wantError(t, "a block of -1 bytes", err)
	for name, call := range map[string]func(q device.Queue) error{
		"staging memory": func(q device.Queue) error { _, err := q.Stage(-1, device.Read); return err },
		"memory":         func(q device.Queue) error { _, err := q.Memory(-1); return err },
	} {
		r := newRig(t, d)
		wantError(t, "-1 bytes of "+name, call(r))
		r.close()
	}
}

func testBlocks(t *testing.T, d device.Device) {
	for _, n := range []int64{1, 255, 256, 1000, 65537} {
		b := must(d.Alloc(n))(t)
		m, is := b.Device().(device.Memory)
		if !is {
			t.Errorf("the memory of a block is a %T", b.Device())
		} else if m.Address() == 0 || m.Address()%256 != 0 {
			t.Errorf("the address of a block is %#x", m.Address())
		}
		if b.Size() != n || b.Place() != d.Place() || b.Kind() != mmapstore.KindDevice || b.Bytes() != nil {
			t.Errorf("a block of %d bytes: got %d of kind %v on %v", n, b.Size(), b.Kind(), b.Place())
		}
		ok(t, b.Free())
		wantIs(t, "free a block again", b.Free(), mmapstore.ErrClosed)
	}
}

// New blocks are zero, also where other bytes were before.
func testZeroed(t *testing.T, d device.Device) {
	const n = 100_003
	for round := range 3 {
		var blocks []mmapstore.Block
		for i := range 4 {
			b := must(d.Alloc(n))(t)
			wantBytes(t, fmt.Sprintf("round %d, block %d", round, i), readBlock(t, b, 0, n), make([]byte, n))
			must(b.Device().WriteAt(pattern(n, i), 0))(t)
			blocks = append(blocks, b)
		}
		for _, b := range blocks {
			ok(t, b.Free())
		}
	}
}

// readBlock returns bytes of a block.
func readBlock(t *testing.T, b mmapstore.Block, at int64, n int) []byte {
	t.Helper()
	p := make([]byte, n)
	if got, err := b.Device().ReadAt(p, at); got != n {
		t.Fatalf("read %d bytes at byte %d: got %d, %v", n, at, got, err)
	}
	return p
}

// Random copies change a block as they change bytes in memory.
func testBlockCopies(t *testing.T, d device.Device) {
	const n = 5000
	b, want := must(d.Alloc(n))(t), make([]byte, n)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		at := random.IntN(n)
		p := pattern(random.IntN(n-at+1), i)
		if got, err := b.Device().WriteAt(p, int64(at)); got != len(p) || err != nil {
			t.Fatalf("write %d bytes at byte %d: got %d, %v", len(p), at, got, err)
		}
		copy(want[at:], p)
		at = random.IntN(n)
		wantBytes(t, fmt.Sprintf("copy %d", i), readBlock(t, b, int64(at), n-at), want[at:])
	}
	ok(t, b.Free())
}

func testOutsideOfBlock(t *testing.T, d device.Device) {
	b := must(d.Alloc(100))(t)
	must(b.Device().WriteAt(pattern(100, 1), 0))(t)
	p := make([]byte, 20)
	for _, c := range []struct{ at, read int64 }{{90, 10}, {100, 0}, {1000, 0}, {1 << 60, 0}, {-1, 0}, {-1 << 40, 0}, {-1 << 60, 0}} {
		n, err := b.Device().ReadAt(p, c.at)
		wantError(t, fmt.Sprintf("read 20 bytes at byte %d of 100", c.at), err)
		if n < 0 || int64(n) > c.read {
			t.Errorf("read 20 bytes at byte %d of 100: got %d", c.at, n)
		}
		_, err = b.Device().WriteAt(make([]byte, 20), c.at)
		wantError(t, fmt.Sprintf("write 20 bytes at byte %d of 100", c.at), err)
	}
	wantBytes(t, "bytes before", readBlock(t, b, 0, 90), pattern(100, 1)[:90])
	ok(t, b.Free())
}

// Several goroutines copy parts of a block.
func testBlockConcurrently(t *testing.T, d device.Device) {
	const workers, n = 8, 10_007
	b := must(d.Alloc(workers * n))(t)
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			got, want, at := make([]byte, n), pattern(n, i), int64(i*n)
			for range 20 {
				if _, err := b.Device().WriteAt(want, at); err != nil {
					t.Error(err)
				}
				if n, err := b.Device().ReadAt(got, at); n != len(got) {
					t.Error(err)
				}
				wantBytes(t, fmt.Sprintf("part %d", i), got, want)
			}
		})
	}
	all.Wait()
	ok(t, b.Free())
}

// Blocks carry storages.
func testStorage(t *testing.T, d device.Device) {
	s := must(mmapstore.WithAllocator(d, 1000))(t)
	if s.Place() != d.Place() || s.Kind() != mmapstore.KindDevice || s.Size() != 1000 {
		t.Errorf("got %d bytes of kind %v on %v", s.Size(), s.Kind(), s.Place())
	}
	ok(t, s.Release())
}
