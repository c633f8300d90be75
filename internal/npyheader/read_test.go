package npyheader_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/npyheader"
)

// withPrefix puts magic, version and length before a header's text.
func withPrefix(version byte, text string) []byte {
	body := []byte(text)
	if version < 3 {
		body = body[:0]
		for _, r := range text {
			body = append(body, byte(r))
		}
	}
	b := []byte{0x93, 'N', 'U', 'M', 'P', 'Y', version, 0}
	if version == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(len(body)))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(len(body)))
	}
	return append(b, body...)
}

func describe(descr string) string {
	return fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': (3,), }", descr)
}

func shaped(shape string) string {
	return fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape)
}

func TestRead(t *testing.T) {
	tests := []struct {
		name    string
		version byte
		text    string
		want    npyheader.Header
	}{
		{"plain", 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }  \n",
			npyheader.Header{DType: dtype.Float32, Descr: "<f4", Shape: []int{3, 4}, DataOffset: 72, Major: 1}},
		{"big-endian", 2, "{'descr': '>c8', 'fortran_order': True, 'shape': ()}",
			npyheader.Header{DType: dtype.Complex64, Descr: ">c8", Swapped: true, Fortran: true, Shape: []int{}, DataOffset: 64, Major: 2}},
		{"Python 2", 1, "{'descr': '<i8', 'fortran_order': False, 'shape': (10L, 0L)}",
			npyheader.Header{DType: dtype.Int64, Descr: "<i8", Shape: []int{10, 0}, DataOffset: 70, Major: 1}},
		{"comment", 3, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)} #  {\"gen\": 1} é \n# more",
			npyheader.Header{DType: dtype.Uint8, Descr: "|u1", Shape: []int{2}, Comment: `{"gen": 1} é`, DataOffset: 92, Major: 3}},
		{"latin-1", 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}#é",
			npyheader.Header{DType: dtype.Uint8, Descr: "|u1", Shape: []int{2}, Comment: "é", DataOffset: 67, Major: 1}},
		{"bfloat16", 1, describe("'<V2'"),
			npyheader.Header{Descr: "<V2", Shape: []int{3}, DataOffset: 67, Major: 1}},
		{"float8", 1, describe("'|V1'"),
			npyheader.Header{Descr: "|V1", Shape: []int{3}, DataOffset: 67, Major: 1}},
		{"ml_dtypes float8_e5m2", 1, describe("'<f1'"),
			npyheader.Header{DType: dtype.Float8E5M2, Descr: "<f1", Shape: []int{3}, DataOffset: 67, Major: 1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := bytes.NewReader(append(withPrefix(test.version, test.text), "data"...))
			got, err := npyheader.Read(iotest.OneByteReader(r))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("header differs (-want +got):\n%s", diff)
			}
			if rest, _ := io.ReadAll(r); string(rest) != "data" {
				t.Errorf("left %q in the reader, want the data", rest)
			}
		})
	}
}

func TestPayload(t *testing.T) {
	tests := []struct {
		descr, shape string
		elems        int
		bytes        int64
	}{
		{"'<f4'", "(3, 4)", 12, 48},
		{"'<c16'", "()", 1, 16},
		{"'<V2'", "(5,)", 5, 10},
		{"'|V1'", "(5,)", 5, 5},
		{"'<f8'", "(0, 7)", 0, 0},
	}
	for _, test := range tests {
		text := fmt.Sprintf("{'descr': %s, 'fortran_order': False, 'shape': %s}", test.descr, test.shape)
		h, err := npyheader.Read(bytes.NewReader(withPrefix(1, text)))
		if err != nil || h.NumElems() != test.elems || h.PayloadBytes() != test.bytes {
			t.Errorf("%s: %d elements, %d bytes, %v, want %d and %d", text, h.NumElems(), h.PayloadBytes(), err, test.elems, test.bytes)
		}
	}
}

func TestReadErrors(t *testing.T) {
	good := shaped("(3,)")
	tests := []struct {
		name string
		file []byte
		is   error
		want string
	}{
		{"empty", nil, npyheader.ErrNotNPY, "an empty file"},
		{"short magic", []byte("\x93NUM"), npyheader.ErrNotNPY, `found "\x93NUM"`},
		{"text", []byte("1,2,3\n4,5,6\n"), npyheader.ErrNotNPY, `expected it to start with "\x93NUMPY", found "1,2,3\n4,"`},
		{"npz", []byte("PK\x03\x04\x14\x00\x00\x00"), npyheader.ErrNotNPY, ".npz"},
		{"pickle", []byte("\x80\x04\x95\x10\x00\x00\x00\x00"), npyheader.ErrNotNPY, "pickles are never loaded"},
		{"no version", []byte("\x93NUMPY\x01"), io.ErrUnexpectedEOF, "read .npy version"},
		{"version 4", []byte("\x93NUMPY\x04\x00"), npyheader.ErrUnsupported, "version 4.0, expected 1.0, 2.0 or 3.0"},
		{"version 1.1", []byte("\x93NUMPY\x01\x01"), npyheader.ErrUnsupported, "version 1.1"},
		{"no length", []byte("\x93NUMPY\x01\x00"), io.ErrUnexpectedEOF, "header length"},
		{"half a length", []byte("\x93NUMPY\x02\x00\x76\x00"), io.ErrUnexpectedEOF, "header length"},
		{"4 GiB", []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), npyheader.ErrMalformed, "4294967295 bytes long, at most 65536"},
		{"truncated", withPrefix(1, good)[:30], io.ErrUnexpectedEOF, "20 of 57 bytes"},
		{"no UTF-8", append(withPrefix(3, good+"##")[:70], 0xff), npyheader.ErrMalformed, "not UTF-8"},
		{"no dictionary", withPrefix(1, "(3,)"), npyheader.ErrMalformed, `at character 0: expected a dictionary, found "(3,)"`},
		{"unknown name", withPrefix(1, "{'descr': object}"), npyheader.ErrMalformed, "at character 10: expected a string, number"},
		{"call", withPrefix(1, "{'descr': exit(1)}"), npyheader.ErrMalformed, "at character 10"},
		{"unknown key", withPrefix(1, "{'descr': '<f4', 'order': 'C', 'shape': (3,)}"), npyheader.ErrMalformed, `key "order"`},
		{"repeated key", withPrefix(1, "{'descr': '<f4', 'descr': '<f8', 'shape': (3,)}"), npyheader.ErrMalformed, `repeated or empty key "descr"`},
		{"None", withPrefix(1, "{'descr': None, 'fortran_order': False, 'shape': (3,)}"), npyheader.ErrMalformed, `empty key "descr"`},
		{"missing key", withPrefix(1, "{'descr': '<f4', 'shape': (3,)}"), npyheader.ErrMalformed, "2 keys: expected 'descr', 'fortran_order' and 'shape'"},
		{"object", withPrefix(1, describe("'|O'")), npyheader.ErrUnsupported, "pickles are never loaded"},
		{"unicode", withPrefix(1, describe("'<U8'")), npyheader.ErrUnsupported, `dtype "<U8": strings are not numbers`},
		{"bytes", withPrefix(1, describe("'|S3'")), npyheader.ErrUnsupported, "strings are not numbers"},
		{"datetime", withPrefix(1, describe("'<M8[ns]'")), npyheader.ErrUnsupported, "save .view('i8')"},
		{"timedelta", withPrefix(1, describe("'<m8[s]'")), npyheader.ErrUnsupported, "save .view('i8')"},
		{"void", withPrefix(1, describe("'|V12'")), npyheader.ErrUnsupported, "save .view('u1')"},
		{"long double", withPrefix(1, describe("'<f16'")), npyheader.ErrUnsupported, "save .astype('f8')"},
		{"unknown dtype", withPrefix(1, describe("'<z4'")), npyheader.ErrUnsupported, `unknown dtype "<z4"`},
		{"no dtype", withPrefix(1, describe("''")), npyheader.ErrUnsupported, `unknown dtype ""`},
		{"dtype number", withPrefix(1, describe("4")), npyheader.ErrMalformed, "descr 4: expected a dtype"},
		{"structured", withPrefix(1, describe("[('x', '<f4'), ('it\\'s', '<i4', (2,))]")), npyheader.ErrUnsupported, `structured dtype with fields "x", "it's"`},
		{"wide structure", withPrefix(1, describe("["+strings.Repeat("('f', '<f4'),", 20)+"]")), npyheader.ErrUnsupported, `"f", …: save each field`},
		{"subarray", withPrefix(1, describe("('<f4', (3,))")), npyheader.ErrUnsupported, "subarray"},
		{"shape number", withPrefix(1, shaped("3")), npyheader.ErrMalformed, "shape 3: expected a tuple"},
		{"shape string", withPrefix(1, shaped("('3',)")), npyheader.ErrMalformed, `axis 0 of the shape is "3": expected an integer`},
		{"shape bool", withPrefix(1, shaped("(3, True)")), npyheader.ErrMalformed, "axis 1 of the shape is true"},
		{"negative", withPrefix(1, shaped("(3, -1)")), npyheader.ErrMalformed, "[3 -1] has a negative axis"},
		{"huge axis", withPrefix(1, shaped("(9223372036854775808,)")), npyheader.ErrMalformed, "more than an axis can have"},
		{"overflow", withPrefix(1, shaped("(4294967296, 4294967296)")), npyheader.ErrMalformed, "more than 2^63 bytes"},
		{"overflow by size", withPrefix(1, shaped("(2305843009213693952,)")), npyheader.ErrMalformed, "4-byte elements: more than 2^63 bytes"},
		{"overflow beside 0", withPrefix(1, shaped("(0, 9223372036854775807, 4)")), npyheader.ErrMalformed, "more than 2^63 bytes"},
		{"rank", withPrefix(1, shaped("("+strings.Repeat("1,", 65)+")")), npyheader.ErrMalformed, "65 axes: at most 64"},
		{"deep", withPrefix(1, shaped(strings.Repeat("(", 5000))), npyheader.ErrMalformed, "more than 32 brackets"},
		{"many entries", withPrefix(1, shaped("("+strings.Repeat("1,", 5000)+")")), npyheader.ErrMalformed, "more than 4096 entries"},
		{"many keys", withPrefix(1, "{"+strings.Repeat("'a':1,", 5000)+"}"), npyheader.ErrMalformed, "more than 4096 keys"},
		{"trailing code", withPrefix(1, good+"; import os"), npyheader.ErrMalformed, "expected nothing after the dictionary"},
		{"NUL", withPrefix(1, good+"\x00\x00"), npyheader.ErrMalformed, "expected nothing after the dictionary"},
		{"open string", withPrefix(1, "{'descr"), npyheader.ErrMalformed, "string without an end"},
		{"open dictionary", withPrefix(1, "{'descr': '<f4'"), npyheader.ErrMalformed, "found the end"},
		{"long in version 3", withPrefix(3, shaped("(10L,)")), npyheader.ErrMalformed, "expected a decimal integer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h, err := npyheader.Read(bytes.NewReader(test.file))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %+v and error %v, want %q", h, err, test.want)
			}
			if !errors.Is(err, test.is) {
				t.Errorf("%v is not %v", err, test.is)
			}
			if diff := cmp.Diff(npyheader.Header{}, h); diff != "" {
				t.Errorf("got a header with the error:\n%s", diff)
			}
			if len(err.Error()) > 600 {
				t.Errorf("the message has %d characters", len(err.Error()))
			}
		})
	}
}

func TestReadPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken disk")
	file := withPrefix(2, shaped("(3,)"))
	for n := range len(file) {
		r := io.MultiReader(bytes.NewReader(file[:n]), iotest.ErrReader(broken))
		if _, err := npyheader.Read(r); !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v, want %v", n, err, broken)
		}
	}
}
