package mmapstore_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	mmap "github.com/edsrzf/mmap-go"

	"github.com/tstore/tstore/mmapstore"
)

// sinks keep the compiler from dropping reads.
var (
	sink       uint64
	sinkBytes  []byte
	sinkString string
)

type large struct{ a [5000]byte }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// accesses are the ways in which Go code, the run-time and assembly of the standard library touch
// memory. The second half of m is not accessible.
var accesses = []struct {
	name   string
	access func(m []byte)
}{
	{"load", func(m []byte) { sink = uint64(m[len(m)-1]) }},
	{"load loop", func(m []byte) {
		for _, b := range m {
			sink += uint64(b)
		}
	}},
	{"store", func(m []byte) { m[len(m)-1] = 9 }},
	{"copy from", func(m []byte) { sinkBytes = make([]byte, len(m)); copy(sinkBytes, m) }},
	{"copy to", func(m []byte) { copy(m, make([]byte, len(m))) }},
	{"copy from, small", func(m []byte) { var d [17]byte; copy(d[:], m[len(m)-100:]); sinkBytes = d[:] }},
	{"copy within, backwards", func(m []byte) { copy(m[64:], m[:len(m)-64]) }},
	{"clear", func(m []byte) { clear(m) }},
	{"append from", func(m []byte) { sinkBytes = append([]byte(nil), m...) }},
	{"append growing", func(m []byte) { tail := m[len(m)-64 : len(m)-1 : len(m)-1]; sinkBytes = append(tail, 1, 2, 3) }},
	{"string", func(m []byte) { sinkString = string(m) }},
	{"string concatenation", func(m []byte) { sinkString = "a" + unsafe.String(&m[0], len(m)) }},
	{"string comparison", func(m []byte) { sink = uint64(strings.Compare(unsafe.String(&m[0], len(m)), string(pattern(len(m))))) }},
	{"bytes.Equal", func(m []byte) { bytes.Equal(m, pattern(len(m))) }},
	{"bytes.IndexByte", func(m []byte) { sink = uint64(bytes.IndexByte(m, 255)) }},
	{"bytes.Index", func(m []byte) { sink = uint64(bytes.Index(m, []byte{1, 2, 3, 5})) }},
	{"bytes.Count", func(m []byte) { sink = uint64(bytes.Count(m, []byte{1})) }},
	{"bytes.Compare", func(m []byte) { sink = uint64(bytes.Compare(m, pattern(len(m)))) }},
	{"crc32c", func(m []byte) { sink = uint64(crc32.Checksum(m, castagnoli)) }},
	{"crc32 ieee", func(m []byte) { sink = uint64(crc32.ChecksumIEEE(m)) }},
	{"sha256", func(m []byte) { h := sha256.Sum256(m); sink = uint64(h[0]) }},
	{"slices.Sort", func(m []byte) { slices.Sort(m) }},
	{"slices.Max", func(m []byte) { sink = uint64(slices.Max(m)) }},
	{"map lookup", func(m []byte) { table := map[string]int{string(pattern(len(m))): 1}; sink = uint64(table[string(m)]) }},
	{"struct copy", func(m []byte) { b := *(*large)(unsafe.Pointer(&m[len(m)-5000])); sink = uint64(b.a[7]) }},
	{"struct store", func(m []byte) { *(*large)(unsafe.Pointer(&m[len(m)-5000])) = large{} }},
	{"channel receive into", func(m []byte) {
		c := make(chan large, 1)
		c <- large{}
		*(*large)(unsafe.Pointer(&m[len(m)-5000])) = <-c
	}},
	{"atomic add", func(m []byte) { atomic.AddUint64((*uint64)(unsafe.Pointer(&m[len(m)-8])), 1) }},
	{"atomic load", func(m []byte) { sink = atomic.LoadUint64((*uint64)(unsafe.Pointer(&m[len(m)-8]))) }},
	{"float loop", func(m []byte) {
		var sum float32
		for _, v := range unsafe.Slice((*float32)(unsafe.Pointer(&m[0])), len(m)/4) {
			sum += v
		}
		sink = uint64(int64(sum))
	}},
	{"deferred use", func(m []byte) { defer func() { sink = uint64(m[len(m)-1]) }() }},
}

func init() {
	children["accesses"] = func(dir string) {
		for _, a := range accesses {
			fmt.Println(a.name)
			printAccess(dir, a.access)
		}
	}
	children["unguarded"] = func(dir string) {
		s, _ := cutMapping(dir)
		pin, _ := s.Pin()
		sink = uint64(pin.Bytes()[s.Size()-1])
	}
	children["guard of the parent goroutine"] = func(dir string) {
		s, _ := cutMapping(dir)
		err := s.With(func(b []byte) error {
			done := make(chan bool)
			go func() { defer close(done); sink = uint64(b[len(b)-1]) }()
			<-done
			return nil
		})
		fmt.Println("survived:", err)
	}
}

// cutMapping is a mapping of 8 pages in a file that was cut to 4.
func cutMapping(dir string) (*mmapstore.Storage, error) {
	page := os.Getpagesize()
	path := filepath.Join(dir, "cut")
	if err := os.WriteFile(path, pattern(8*page), 0o644); err != nil {
		return nil, err
	}
	s, err := mapForFaults(path)
	if err != nil {
		return nil, err
	}
	return s, os.Truncate(path, int64(4*page))
}

// mapForFaults maps a whole file, past the heap copies of race builds.
func mapForFaults(path string) (*mmapstore.Storage, error) {
	if !raceBuild {
		return mmapstore.Map(path, 0, -1, mmapstore.Shared, nil)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := mmap.Map(f, mmap.RDWR, 0)
	return mmapstore.FromBytes(raw), err
}

// tryAccess runs one access on a cut mapping and checks the error.
func tryAccess(dir string, access func([]byte)) error {
	s, err := cutMapping(dir)
	if err != nil {
		return err
	}
	defer s.Release()
	err = s.With(func(b []byte) error { access(b); return nil })
	fault, ok := errors.AsType[*mmapstore.FaultError](err)
	half := s.Size() / 2
	switch {
	case !ok:
		return fmt.Errorf("want a *FaultError, got %v", err)
	case fault.Offset < half || fault.Offset >= s.Size():
		return fmt.Errorf("fault at %d, outside of the missing [%d, %d)", fault.Offset, half, s.Size())
	case raceBuild:
		return nil
	case !errors.Is(err, mmapstore.ErrTruncated) || fault.Path != s.Path():
		return fmt.Errorf("want ErrTruncated in %q, got %v", s.Path(), err)
	}
	return nil
}

// printAccess is tryAccess in a child, followed by work that a damaged run-time would not survive.
func printAccess(dir string, access func([]byte)) {
	if err := tryAccess(dir, access); err != nil {
		fmt.Println("failed:", err)
		return
	}
	for range 3 {
		runtime.GC()
		b := pattern(1 << 16)
		moved := bytes.Clone(b)
		copy(moved[8:], moved)
		if !bytes.Equal(moved[8:], b[:len(b)-8]) {
			fmt.Println("failed: copying is broken afterwards")
			return
		}
	}
	fmt.Println("recovered")
}

func TestAccessFaults(t *testing.T) {
	needCuts(t)
	for _, a := range accesses {
		t.Run(a.name, func(t *testing.T) {
			if err := tryAccess(t.TempDir(), a.access); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAccessFaultsInChild repeats the accesses in another process, which tells each before it tries
// it: one that kills the process, or has the run-time damaged, is named.
func TestAccessFaultsInChild(t *testing.T) {
	needCuts(t)
	out, err := runChild(t, "accesses")
	if err != nil {
		t.Errorf("child: %v", err)
	}
	for _, a := range accesses {
		said := a.name + "\nrecovered\n"
		if !strings.HasPrefix(out, said) {
			t.Fatalf("%s: the child said\n%.1000s", a.name, out)
		}
		out = out[len(said):]
	}
}

// TestUnguardedFaultsDie shows what guards are for, and that one goroutine's does not help another.
func TestUnguardedFaultsDie(t *testing.T) {
	needCuts(t)
	for _, body := range []string{"unguarded", "guard of the parent goroutine"} {
		t.Run(body, func(t *testing.T) {
			t.Parallel()
			out, err := runChild(t, body)
			if err == nil || !strings.Contains(out, "unexpected fault address") {
				t.Errorf("child: %v\n%.1000s", err, out)
			}
		})
	}
}
