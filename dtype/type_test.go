package dtype_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
)

func TestTypes(t *testing.T) {
	type row struct {
		Name, Code, Kind string
		Size             int
	}
	var got []row
	for _, typ := range dtype.All() {
		got = append(got, row{typ.String(), typ.Code(), typ.Kind().String(), typ.Size()})
	}
	want := []row{
		{"bool", "|b1", "bool", 1},
		{"int8", "|i1", "int", 1},
		{"int16", "<i2", "int", 2},
		{"int32", "<i4", "int", 4},
		{"int64", "<i8", "int", 8},
		{"uint8", "|u1", "uint", 1},
		{"uint16", "<u2", "uint", 2},
		{"uint32", "<u4", "uint", 4},
		{"uint64", "<u8", "uint", 8},
		{"float16", "<f2", "float", 2},
		{"bfloat16", "<V2", "float", 2},
		{"float8_e4m3fn", "|V1", "float", 1},
		{"float8_e5m2", "|V1", "float", 1},
		{"float32", "<f4", "float", 4},
		{"float64", "<f8", "float", 8},
		{"complex64", "<c8", "complex", 8},
		{"complex128", "<c16", "complex", 16},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("types differ (-want +got):\n%s", diff)
	}
}

func TestInvalidTypes(t *testing.T) {
	for typ, name := range map[dtype.Type]string{dtype.Invalid: "invalid", 18: "Type(18)", 255: "Type(255)"} {
		if typ.Valid() || typ.Size() != 0 || typ.Code() != "" || typ.Kind() != dtype.KindInvalid || typ.String() != name {
			t.Errorf("%d: valid %v, size %d, code %q, kind %v, name %q", uint8(typ), typ.Valid(), typ.Size(), typ.Code(), typ.Kind(), typ)
		}
		if _, err := dtype.Parse(name); err == nil {
			t.Errorf("%q parses", name)
		}
	}
	if got := dtype.Kind(9).String() + dtype.KindInvalid.String(); got != "Kind(9)invalid" {
		t.Errorf("kinds print as %q", got)
	}
}

func TestOf(t *testing.T) {
	got := []dtype.Type{
		dtype.Of[bool](), dtype.Of[int8](), dtype.Of[int16](), dtype.Of[int32](), dtype.Of[int64](),
		dtype.Of[uint8](), dtype.Of[uint16](), dtype.Of[uint32](), dtype.Of[uint64](),
		dtype.Of[dtype.F16](), dtype.Of[dtype.BF16](), dtype.Of[dtype.F8E4M3FN](), dtype.Of[dtype.F8E5M2](),
		dtype.Of[float32](), dtype.Of[float64](), dtype.Of[complex64](), dtype.Of[complex128](),
	}
	if diff := cmp.Diff(dtype.All(), got); diff != "" {
		t.Errorf("types differ (-want +got):\n%s", diff)
	}
}

func TestParse(t *testing.T) {
	for _, typ := range dtype.All() {
		if got, err := dtype.Parse(typ.String()); got != typ || err != nil {
			t.Errorf("%q is %v, %v", typ, got, err)
		}
		if strings.Contains(typ.Code(), "V") {
			continue
		}
		for _, order := range []string{"", "<", "=", "|"} {
			if got, err := dtype.Parse(order + typ.Code()[1:]); got != typ || err != nil {
				t.Errorf("%q is %v, %v, want %v", order+typ.Code()[1:], got, err, typ)
			}
		}
	}
	for text, want := range map[string]dtype.Type{"?": dtype.Bool, ">u1": dtype.Uint8, "<f1": dtype.Float8E5M2} {
		if got, err := dtype.Parse(text); got != want || err != nil {
			t.Errorf("%q is %v, %v, want %v", text, got, err, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{">f4", `dtype ">f4" is big-endian: elements are little-endian here, write "<f4"`},
		{"flaot32", `unknown dtype "flaot32": did you mean "float32"?`},
		{"Float64", `did you mean "float64"?`},
		{"bfloat", `did you mean "bfloat16"?`},
		{"float8_e4m3", `did you mean "float8_e4m3fn"?`},
		{"uin8", `did you mean "uint8"?`},
		{"int32\u200b", `unknown dtype "int32\u200b": did you mean "int32"?`},
		{"\u00a0int32 ", `unknown dtype "\u00a0int32 ": did you mean "int32"?`},
		{"", "expected one of bool, int8"},
		{"<", "expected one of bool, int8"},
		{"object", "expected one of bool, int8"},
		{"<V2", "void code does not say which type it holds: bfloat16"},
		{"|V1", "float8_e4m3fn, float8_e5m2 or plain bytes"},
		{strings.Repeat("float", 1000), `unknown dtype "floatfloatfloatfloatfloatfloatfloatfloat"…`},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			got, err := dtype.Parse(test.text)
			if got != dtype.Invalid || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v and error %v, want %q", got, err, test.want)
			}
		})
	}
}

func TestParseDescr(t *testing.T) {
	tests := []struct {
		descr     string
		want      dtype.Type
		swapped   bool
		ambiguous bool
		fails     bool
	}{
		{descr: "<f4", want: dtype.Float32},
		{descr: ">f4", want: dtype.Float32, swapped: true},
		{descr: "=f4", want: dtype.Float32},
		{descr: "f4", want: dtype.Float32},
		{descr: ">c16", want: dtype.Complex128, swapped: true},
		{descr: ">i1", want: dtype.Int8},
		{descr: "|b1", want: dtype.Bool},
		{descr: ">?", want: dtype.Bool},
		{descr: "<f1", want: dtype.Float8E5M2},
		{descr: "<V2", ambiguous: true, fails: true},
		{descr: ">V2", ambiguous: true, swapped: true, fails: true},
		{descr: "|V1", ambiguous: true, fails: true},
		{descr: "|V3", fails: true},
		{descr: "|O", fails: true},
		{descr: "<U8", fails: true},
		{descr: "<f16", fails: true},
		{descr: "float32", want: dtype.Float32},
		{descr: "double", want: dtype.Float64},
		{descr: ">d", want: dtype.Float64, swapped: true},
		{descr: "B", want: dtype.Uint8},
		{descr: "<float32", fails: true},
		{descr: "int32\u200b", fails: true},
		{descr: "", fails: true},
		{descr: "<<f4", fails: true},
	}
	for _, test := range tests {
		t.Run(test.descr, func(t *testing.T) {
			got, swapped, err := dtype.ParseDescr(test.descr)
			if got != test.want || swapped != test.swapped || (err != nil) != test.fails || errors.Is(err, dtype.ErrAmbiguous) != test.ambiguous {
				t.Errorf("got %v, swapped %v, %v", got, swapped, err)
			}
		})
	}
}

func TestPart(t *testing.T) {
	want := map[dtype.Type]dtype.Type{dtype.Complex64: dtype.Float32, dtype.Complex128: dtype.Float64}
	for _, typ := range dtype.All() {
		part, complex := want[typ]
		if !complex {
			part = typ
		}
		if got := typ.Part(); got != part {
			t.Errorf("%v: got %v, want %v", typ, got, part)
		}
	}
}
