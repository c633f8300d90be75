package npyheader_test

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/npyheader"
)

func TestEncodeReadsBack(t *testing.T) {
	shapes := [][]int{{}, {0}, {7}, {3, 4}, {1, math.MaxInt32, 0}, make([]int, npyheader.MaxRank)}
	for _, typ := range dtype.All() {
		for _, shape := range shapes {
			for _, fortran := range []bool{false, true} {
				for _, size := range []int{0, 512, 4096, 65536} {
					for _, comment := range []string{"", `{"gen": 1, "dims": ["x#y"]}`} {
						checkReadsBack(t, npyheader.Header{DType: typ, Shape: shape, Fortran: fortran, Comment: comment}, size)
					}
				}
			}
		}
	}
}

func checkReadsBack(t *testing.T, h npyheader.Header, size int) {
	t.Helper()
	b, err := npyheader.Encode(h, size)
	if err != nil {
		t.Fatalf("%+v: %v", h, err)
	}
	if size != 0 && len(b) != size || len(b)%64 != 0 || b[len(b)-1] != '\n' {
		t.Fatalf("%+v: %d bytes for %d, ending in %q", h, len(b), size, b[len(b)-1])
	}
	got, err := npyheader.Read(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%+v: %v", h, err)
	}
	want := h
	want.Descr, want.DataOffset, want.Major = h.DType.Code(), int64(len(b)), 1
	if strings.Contains(want.Descr, "V") {
		want.DType = dtype.Invalid
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("header differs (-want +got):\n%s", diff)
	}
}

func TestEncodeText(t *testing.T) {
	tests := []struct {
		name string
		h    npyheader.Header
		want string
	}{
		{"room to grow", npyheader.Header{DType: dtype.Float32, Shape: []int{12, 4}},
			"{'descr': '<f4', 'fortran_order': False, 'shape': (12, 4), }                   "},
		{"comment", npyheader.Header{DType: dtype.BFloat16, Shape: []int{3}, Fortran: true, Comment: "spare"},
			"{'descr': '<V2', 'fortran_order': True, 'shape': (3,), }                     # spare"},
		{"swapped", npyheader.Header{DType: dtype.Int16, Swapped: true},
			"{'descr': '>i2', 'fortran_order': False, 'shape': (), }"},
		{"swapped bytes", npyheader.Header{DType: dtype.Uint8, Swapped: true},
			"{'descr': '|u1', 'fortran_order': False, 'shape': (), }"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, err := npyheader.Encode(test.h, 256)
			if err != nil {
				t.Fatal(err)
			}
			padded := test.want + strings.Repeat(" ", 256-10-1-len(test.want)) + "\n"
			if diff := cmp.Diff("\x93NUMPY\x01\x00\xf6\x00"+padded, string(b)); diff != "" {
				t.Errorf("header differs (-want +got):\n%s", diff)
			}
		})
	}
}

// TestEncodeGrows rewrites the growing axis without changing the length, up to the longest that
// there is.
func TestEncodeGrows(t *testing.T) {
	want := 0
	for dim := 1; dim > 0 && dim < math.MaxInt64/100; dim *= 10 {
		b, err := npyheader.Encode(npyheader.Header{DType: dtype.Float64, Shape: []int{dim, 2}, Comment: "x"}, 0)
		if err != nil {
			t.Fatal(err)
		}
		if want == 0 {
			want = len(b)
		}
		if len(b) != want {
			t.Errorf("%d rows take %d bytes, 1 row takes %d", dim, len(b), want)
		}
	}
}

func TestEncodeErrors(t *testing.T) {
	good := npyheader.Header{DType: dtype.Float32, Shape: []int{3}}
	with := func(change func(h *npyheader.Header)) npyheader.Header {
		h := good
		change(&h)
		return h
	}
	tests := []struct {
		name string
		h    npyheader.Header
		size int
		want string
	}{
		{"no type", npyheader.Header{}, 0, "no dtype"},
		{"negative axis", with(func(h *npyheader.Header) { h.Shape = []int{-1} }), 0, "negative axis"},
		{"too large", with(func(h *npyheader.Header) { h.Shape = []int{math.MaxInt64} }), 0, "more than 2^63 bytes"},
		{"rank", with(func(h *npyheader.Header) { h.Shape = make([]int, 65) }), 0, "65 axes"},
		{"two lines", with(func(h *npyheader.Header) { h.Comment = "a\nb" }), 0, "expected one line of printable ASCII"},
		{"not ASCII", with(func(h *npyheader.Header) { h.Comment = "é" }), 0, "expected one line of printable ASCII"},
		{"not aligned", good, 100, "100 bytes: expected a multiple of 64, at least 88"},
		{"too small", good, 64, "64 bytes: expected a multiple of 64, at least 88 and at most 65536"},
		{"negative size", good, -64, "-64 bytes"},
		{"too long", good, 65600, "at most 65536"},
		{"long comment", with(func(h *npyheader.Header) { h.Comment = strings.Repeat("x", 5000) }), 4096, "4096 bytes: expected"},
		{"longest comment", with(func(h *npyheader.Header) { h.Comment = strings.Repeat("x", 1<<16) }), 0, "at most 65536"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b, err := npyheader.Encode(test.h, test.size)
			if b != nil || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %d bytes and error %v, want %q", len(b), err, test.want)
			}
		})
	}
}
