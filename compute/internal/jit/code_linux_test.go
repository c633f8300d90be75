package jit_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/jit"
	"golang.org/x/sys/unix"
)

// arguments returns those of a call of code for productAndSum.
func arguments(code *jit.Code, dst, a, b []float32, s float32) []unsafe.Pointer {
	constants := code.Constants(1)
	constants[0] = uint64(math.Float32bits(s))
	return []unsafe.Pointer{unsafe.Pointer(&constants[0]), unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0]), unsafe.Pointer(&dst[0])}
}

// TestPages compiles and looks at the pages of the process: none can be written and executed, and
// they go with the code.
func TestPages(t *testing.T) { forEachISA(t, testPages) }

func testPages(t *testing.T, isa string) {
	before := jit.Mapped()
	for i := range 200 {
		r := rand.New(rand.NewPCG(5, uint64(i)))
		var unsupported *jit.UnsupportedError
		if _, err := jit.CompileFor(isa, generator.Program(r)); err != nil && !errors.As(err, &unsupported) {
			t.Fatal(err)
		}
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(maps, []byte(" rwx")) {
			t.Fatalf("a page can be written and executed:\n%s", maps)
		}
	}
	if jit.Mapped() == before {
		t.Error("no code was made")
	}
	for start := time.Now(); jit.Mapped() > before; runtime.GC() {
		if time.Since(start) > 10*time.Second {
			t.Fatalf("%d pieces of code have pages still", jit.Mapped()-before)
		}
	}
}

// TestFaults calls code with operands in a file that was cut, and in memory that can't be written.
func TestFaults(t *testing.T) { forEachISA(t, testFaults) }

func testFaults(t *testing.T, isa string) {
	const n = 1 << 14
	path := filepath.Join(t.TempDir(), "cut")
	if err := os.WriteFile(path, make([]byte, 4*n), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	shared := mapFloats(t, f, unix.PROT_READ|unix.PROT_WRITE)
	fixed := mapFloats(t, f, unix.PROT_READ)
	heap := make([]float32, n)
	code, err := jit.CompileFor(isa, productAndSum())
	if err != nil {
		t.Fatal(err)
	}
	faults := func(what string, dst, a, b []float32) {
		t.Helper()
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			err, ok := recover().(interface {
				error
				Addr() uintptr
			})
			if !ok || err.Addr() == 0 {
				t.Errorf("%s: recovered %v, want a fault with its address", what, err)
			}
		}()
		code.Call(arguments(code, dst, a, b, 1), len(dst))
	}
	for range 3 {
		code.Call(arguments(code, shared, heap, heap, 1), n)
		faults("write of memory that is only read", fixed, heap, heap)
		faults("write of three elements", fixed[:3], heap, heap)
		if err := f.Truncate(2 * n); err != nil {
			t.Fatal(err)
		}
		faults("read behind the end of a file", heap, shared, heap)
		faults("read of three elements there", heap[:3], shared[n-3:], heap)
		faults("write behind the end of a file", shared, heap, heap)
		if err := f.Truncate(4 * n); err != nil {
			t.Fatal(err)
		}
	}
}

func mapFloats(t *testing.T, f *os.File, protection int) []float32 {
	t.Helper()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), protection, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	return unsafe.Slice((*float32)(unsafe.Pointer(&b[0])), len(b)/4)
}

// TestUnderLoad runs code in several goroutines while memory is collected, the world is stopped and
// profiling signals arrive, and checks what it computes.
func TestUnderLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("computes for a while")
	}
	forEachISA(t, testUnderLoad)
}

func testUnderLoad(t *testing.T, isa string) {
	code, err := jit.CompileFor(isa, productAndSum())
	if err != nil {
		t.Fatal(err)
	}
	var profile bytes.Buffer
	// 4,000 signals in each second of a processor, which pprof leaves at that, and says so.
	runtime.SetCPUProfileRate(4000)
	err = pprof.StartCPUProfile(&profile)
	if err != nil {
		t.Logf("without a profile: %v", err)
	}
	defer func() {
		pprof.StopCPUProfile()
		if err == nil && profile.Len() == 0 {
			t.Error("the profile is empty")
		}
	}()
	var stop atomic.Bool
	var calls atomic.Int64
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			const n = 1 << 16
			dst, a := make([]float32, n), make([]float32, n)
			for i := range a {
				a[i] = float32(i % 100)
			}
			args := arguments(code, dst, a, a, float32(g))
			for !stop.Load() {
				code.Call(args, n)
				calls.Add(1)
				if i := int(calls.Load()) % n; dst[i] != a[i]*a[i]+float32(g) {
					t.Errorf("element %d is %v", i, dst[i])
					return
				}
			}
		})
	}
	worst := time.Duration(0)
	var garbage [][]byte
	for start := time.Now(); time.Since(start) < 300*time.Millisecond; {
		begin := time.Now()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		worst = max(worst, time.Since(begin))
		runtime.GC()
		garbage = append(garbage[:len(garbage)%4], make([]byte, 1<<20))
	}
	stop.Store(true)
	wg.Wait()
	t.Logf("%d calls, the world stopped within %v", calls.Load(), worst)
}
