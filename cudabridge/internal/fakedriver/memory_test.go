//go:build cuda && fakecuda && linux

package fakedriver_test

import (
	"bytes"
	"testing"

	"gorgonia.org/cu"

	"github.com/tstore/tstore/cudabridge/internal/driver"
	"github.com/tstore/tstore/cudabridge/internal/fakedriver"
)

func TestMemory(t *testing.T) {
	start(t, "")
	at := must(cu.MemAlloc(1000))(t)
	if free, total, err := cu.MemInfo(); free != memory-1024 || total != memory || err != nil {
		t.Errorf("got %d of %d free, %v; want %d of %d", free, total, err, memory-1024, memory)
	}

	// Sizes that can't be.
	for n, fail := range map[int64]error{0: cu.InvalidValue, memory: cu.OutOfMemory, memory - 1024 + 1: cu.OutOfMemory, 1<<63 - 1: cu.OutOfMemory} {
		_, err := cu.MemAlloc(n)
		want(t, "allocation", err, fail)
	}
	rest := must(cu.MemAlloc(memory - 1024))(t)
	ok(t, cu.MemFree(rest))

	// Addresses that can't be.
	want(t, "free inside", cu.MemFree(at+1), cu.InvalidValue)
	ok(t, cu.MemFree(at))
	want(t, "free twice", cu.MemFree(at), cu.InvalidValue)
	again := must(cu.MemAlloc(1000))(t)
	if again == at {
		t.Errorf("address %#x was used twice", at)
	}
	ok(t, cu.MemFree(again))
	ok(t, cu.MemFree(0))
}

func TestCopies(t *testing.T) {
	start(t, "")
	const n = 4096
	a, b := must(cu.MemAlloc(n))(t), must(cu.MemAlloc(n))(t)
	src := make([]byte, n)
	for i := range src {
		src[i] = byte(i * 7)
	}

	ok(t, cu.MemcpyHtoD(a, pointer(src), n))
	ok(t, cu.MemcpyDtoD(b, a, n))
	if !bytes.Equal(read(t, b, n), src) {
		t.Error("there and back, the bytes differ")
	}
	if !bytes.Equal(read(t, b+100, 50), src[100:150]) {
		t.Error("a part differs")
	}
	ok(t, cu.MemsetD8(a, 0x11, 8))
	ok(t, cu.MemsetD32(a+4, 0x04030201, 1))
	if got := read(t, a, 9); !bytes.Equal(got, []byte{0x11, 0x11, 0x11, 0x11, 1, 2, 3, 4, src[8]}) {
		t.Errorf("after fills: %v", got)
	}

	// Ranges that are not within one allocation.
	for _, tt := range []struct {
		name string
		at   cu.DevicePtr
		n    int64
	}{
		{"one too long", a, n + 1},
		{"one too far", a + 1, n},
		{"behind", a + n, 1},
		{"before", a - 1, 1},
		{"nowhere", 4096, 1},
		{"much too long", a, 1 << 40},
	} {
		want(t, "upload "+tt.name, cu.MemcpyHtoD(tt.at, pointer(src), tt.n), cu.InvalidValue)
		want(t, "download "+tt.name, cu.MemcpyDtoH(pointer(src), tt.at, tt.n), cu.InvalidValue)
		want(t, "copy to "+tt.name, cu.MemcpyDtoD(tt.at, b, min(tt.n, n)), errorIf(tt.n <= n))
		want(t, "fill "+tt.name, cu.MemsetD8(tt.at, 0, tt.n), cu.InvalidValue)
	}
	want(t, "fill across", cu.MemsetD32(a+1, 0, 1), cu.InvalidValue)
	ok(t, cu.MemcpyHtoD(a, pointer(src), 0))
	ok(t, cu.MemFree(a))
	want(t, "upload to freed memory", cu.MemcpyHtoD(a, pointer(src), 1), cu.InvalidValue)
	ok(t, cu.MemFree(b))
}

// errorIf returns the error of a range that is still wrong when it is cut to an allocation's length.
func errorIf(wrong bool) error {
	if wrong {
		return cu.InvalidValue
	}
	return nil
}

func TestPinned(t *testing.T) {
	start(t, "cuMemHostAlloc@2=2")
	p := must(driver.AllocHost(100, 0))(t)
	if got := fakedriver.Live(); got.PinnedAllocations != 1 || got.PinnedBytes != 100 {
		t.Errorf("live: %+v, want 100 bytes pinned", got)
	}
	if _, err := driver.AllocHost(100, 0); err == nil || err.Error() != "allocate 100 bytes of pinned memory: OutOfMemory (CUDA error 2)" {
		t.Errorf("second: got %v", err)
	}
	ok(t, driver.FreeHost(p))
	if err := driver.FreeHost(p); err == nil {
		t.Error("freed twice")
	}
	if _, err := driver.AllocHost(0, 0); err == nil {
		t.Error("no bytes: no error")
	}
}
