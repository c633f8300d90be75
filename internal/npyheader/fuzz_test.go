package npyheader_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/npyheader"
)

func FuzzRead(f *testing.F) {
	for _, text := range []string{
		shaped("(3, 4)"), shaped("(10L,)"), shaped("()") + " # {\"gen\": 1}", shaped("((3))"), describe("'>c16'"),
		describe("'|O'"), describe("[('x', '<f4'), ('y', '<i4', (2,))]"), describe("u\"<V2\""), "{'de\\'scr'", "{",
	} {
		for version := byte(1); version <= 3; version++ {
			f.Add(withPrefix(version, text))
		}
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		h, err := npyheader.Read(bytes.NewReader(file))
		if err != nil {
			checkFailure(t, h, err)
			return
		}
		checkHeader(t, h, file)
		if !h.DType.Valid() {
			return
		}
		h.Comment = "" // may be beyond ASCII
		b, err := npyheader.Encode(h, 0)
		if err != nil {
			t.Fatalf("%+v does not encode: %v", h, err)
		}
		again, err := npyheader.Read(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%q does not read back: %v", b, err)
		}
		same := cmpopts.IgnoreFields(npyheader.Header{}, "DType", "Descr", "DataOffset", "Major")
		if diff := cmp.Diff(h, again, same); diff != "" {
			t.Fatalf("%q reads back otherwise (-want +got):\n%s", b, diff)
		}
	})
}

func checkFailure(t *testing.T, h npyheader.Header, err error) {
	t.Helper()
	for _, known := range []error{npyheader.ErrNotNPY, npyheader.ErrMalformed, npyheader.ErrUnsupported, io.ErrUnexpectedEOF} {
		if errors.Is(err, known) {
			return
		}
	}
	t.Fatalf("%+v with unknown error %v", h, err)
}

func checkHeader(t *testing.T, h npyheader.Header, file []byte) {
	t.Helper()
	if h.DataOffset <= 0 || h.DataOffset > int64(len(file)) || len(h.Shape) > npyheader.MaxRank {
		t.Fatalf("data at %d of %d bytes, shape %v", h.DataOffset, len(file), h.Shape)
	}
	if h.PayloadBytes() < 0 || h.PayloadBytes()+h.DataOffset < 0 || h.NumElems() < 0 {
		t.Fatalf("shape %v: %d elements in %d bytes", h.Shape, h.NumElems(), h.PayloadBytes())
	}
	if h.DType == dtype.Invalid && h.Descr == "" {
		t.Fatalf("neither dtype nor descr: %+v", h)
	}
}

func FuzzEncode(f *testing.F) {
	f.Add(uint8(1), false, 3, 4, "", 0)
	f.Add(uint8(17), true, 0, -1, "# x", 4096)
	f.Add(uint8(200), true, 1<<62, 4, "é\n", 64)
	f.Fuzz(func(t *testing.T, typ uint8, fortran bool, rows, columns int, comment string, size int) {
		h := npyheader.Header{DType: dtype.Type(typ), Fortran: fortran, Shape: []int{rows, columns}, Comment: comment}
		b, err := npyheader.Encode(h, size)
		if err != nil {
			return
		}
		got, err := npyheader.Read(bytes.NewReader(b))
		if err != nil {
			t.Fatalf("%q does not read back: %v", b, err)
		}
		if diff := cmp.Diff(h.Shape, got.Shape); diff != "" || got.Fortran != fortran {
			t.Fatalf("%q: fortran %v, shape differs (-want +got):\n%s", b, got.Fortran, diff)
		}
	})
}
