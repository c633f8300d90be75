package kernel_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/kernel"
	"github.com/tstore/tstore/dtype"
)

// A recorder takes the failure of a check in place of the test.
type recorder struct{ testing.TB }

type failure string

func (recorder) Helper() {}

func (recorder) Fatalf(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }

// TestHarnessFinds runs wrong kernels, which the checks of all others here are to find.
func TestHarnessFinds(t *testing.T) {
	right := kernel.Generic(kernel.Add, dtype.Float32, 0)
	at := func(p unsafe.Pointer, i int) *float32 { return (*float32)(unsafe.Add(p, 4*i)) }
	tests := []struct {
		name   string
		places place
		alias  int
		fn     kernel.Func
		want   string
	}{
		{"nothing wrong", place{}, -1, right, ""},
		{"nothing wrong in place", place{}, 1, right, ""},
		{"wrong last element", place{}, -1, func(dst, a, b, c, d unsafe.Pointer, n int) {
			right(dst, a, b, c, d, n)
			*at(dst, n-1) += 1
		}, "element 16"},
		{"one element short", place{}, -1, func(dst, a, b, c, d unsafe.Pointer, n int) { right(dst, a, b, c, d, n-1) }, "element 16"},
		{"sign of zero", place{}, -1, func(dst, a, b, c, d unsafe.Pointer, n int) {
			right(dst, a, b, c, d, n)
			*at(dst, 2) *= -1
		}, "element 2"},
		{"written beyond", place{skip: 3}, -1, func(dst, a, b, c, d unsafe.Pointer, n int) {
			right(dst, a, b, c, d, n)
			*at(dst, n) = 0
		}, "beside"},
		{"written before", place{}, -1, func(dst, a, b, c, d unsafe.Pointer, n int) {
			right(dst, a, b, c, d, n)
			*at(dst, -1) = 0
		}, "beside"},
		{"operand written", place{}, -1, func(dst, a, b, c, d unsafe.Pointer, n int) {
			right(dst, a, b, c, d, n)
			*at(b, 2) = 9
		}, "operand 1 changed"},
		{"result before operand is read", place{}, 0, func(dst, a, b, c, d unsafe.Pointer, n int) {
			*at(dst, n-1) = 0
			right(dst, a, b, c, d, n)
		}, "element 16"},
		{"read beyond", place{}, -1, func(dst, a, b, c, d unsafe.Pointer, n int) {
			right(dst, a, b, c, d, n)
			sink += *at(a, n)
		}, "fault"},
		{"read before", place{start: true}, -1, func(dst, a, b, c, d unsafe.Pointer, n int) {
			right(dst, a, b, c, d, n)
			sink += *at(a, -1)
		}, "fault"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.want == "fault" && !guardsFault {
				t.Skip("no guard pages on this platform")
			}
			j := opJob(t, "wrong", kernel.Entry{Op: kernel.Add, Type: dtype.Float32}, test.fn)
			j.n, j.alias = 17, test.alias
			for i := range j.places {
				j.places[i] = test.places
			}
			if got := failureOf(t, j); test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("the check says %q, want %q", got, test.want)
			}
		})
	}
}

var sink float32

// failureOf returns what the check of j says, "" if it finds nothing. The arena is not used again.
func failureOf(t *testing.T, j *job) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = string(r.(failure))
		}
	}()
	a := makeArena(t)
	a.check(recorder{t}, j, func(b []byte, _ dtype.Type) {
		for i := range len(b) / 4 {
			*(*float32)(unsafe.Pointer(&b[4*i])) = float32(i%5 - 2)
		}
	})
	return ""
}
