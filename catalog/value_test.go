package catalog_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/tstore/tstore/catalog"
)

func jsonValue(t testing.TB, text string) catalog.Value {
	t.Helper()
	v, err := catalog.JSONValue(text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestParseValue(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want catalog.Value
	}{
		"string":         {"metres", catalog.StringValue("metres")},
		"empty string":   {"", catalog.StringValue("")},
		"quoted":         {`"12"`, catalog.StringValue("12")},
		"half quoted":    {`"12`, catalog.StringValue(`"12`)},
		"int":            {"-12", catalog.IntValue(-12)},
		"largest int":    {"9223372036854775807", catalog.IntValue(math.MaxInt64)},
		"float":          {"1.5e3", catalog.FloatValue(1500)},
		"float whole":    {"2.0", catalog.FloatValue(2)},
		"nan":            {"nan", catalog.FloatValue(math.NaN())},
		"-inf":           {"-inf", catalog.FloatValue(math.Inf(-1))},
		"true":           {"true", catalog.BoolValue(true)},
		"True is text":   {"True", catalog.StringValue("True")},
		"hex":            {"hex:00ff", catalog.BytesValue([]byte{0, 255})},
		"object":         {`{"a": 1}`, jsonValue(t, `{"a": 1}`)},
		"array":          {"[1, 2]", jsonValue(t, "[1, 2]")},
		"json scalar":    {"json:5", jsonValue(t, "5")},
		"date":           {"2024-01-01", catalog.StringValue("2024-01-01")},
		"version":        {"1.2.3", catalog.StringValue("1.2.3")},
		"e":              {"e", catalog.StringValue("e")},
		"0x is text":     {"0x10", catalog.StringValue("0x10")},
		"underscore too": {"1_000", catalog.StringValue("1_000")},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := catalog.ParseValue(c.in)
			if err != nil || got != c.want {
				t.Fatalf("ParseValue(%q) = %v %v, %v; want %v %v", c.in, got.Kind(), got, err, c.want.Kind(), c.want)
			}
			back, err := catalog.ParseValue(got.String())
			if err != nil || back != got {
				t.Fatalf("ParseValue(%q) = %v, %v; want what it was written from", got.String(), back, err)
			}
		})
	}
}

func TestParseValueErrors(t *testing.T) {
	for _, in := range []string{"99999999999999999999", "1e999", "hex:0", "hex:zz", "{", "[1,", "json:", "a\xff", strings.Repeat("x", catalog.MaxValueBytes+1)} {
		if v, err := catalog.ParseValue(in); !errors.Is(err, catalog.ErrInvalid) {
			t.Errorf("ParseValue(%.40q) = %.40v, %v; want ErrInvalid", in, v, err)
		}
	}
	if _, err := catalog.ParseValueAs(catalog.ValueNone, "x"); !errors.Is(err, catalog.ErrInvalid) {
		t.Errorf("ParseValueAs(none): %v", err)
	}
	if _, err := catalog.ParseValueKind("none"); !errors.Is(err, catalog.ErrInvalid) {
		t.Errorf("ParseValueKind(none): %v", err)
	}
}

func TestValueTypes(t *testing.T) {
	v := catalog.IntValue(3)
	if f, err := v.Float(); f != 3 || err != nil {
		t.Errorf("Float of an int = %v, %v", f, err)
	}
	if _, err := v.Text(); err == nil || !strings.Contains(err.Error(), "int, not string") {
		t.Errorf("Text of an int: %v", err)
	}
	if _, err := catalog.StringValue("1").Int(); err == nil {
		t.Error("Int of a string is no error")
	}
	mustEqual(t, "Any", []any{catalog.BytesValue([]byte{1}).Any(), catalog.BoolValue(true).Any(), catalog.Value{}.Any()}, []any{[]byte{1}, true, nil})
	for k := catalog.ValueString; k <= catalog.ValueJSON; k++ {
		if got, err := catalog.ParseValueKind(k.String()); got != k || err != nil {
			t.Errorf("ParseValueKind(%q) = %v, %v", k, got, err)
		}
	}
}

// FuzzParseValue checks that what was parsed prints as text that parses to the same.
func FuzzParseValue(f *testing.F) {
	for _, s := range []string{"", "1", "-0.0", "1e5", "nan", `"a"`, `"\u00e9`, "hex:00", "json:null", "{}", "[", "+5", "5.", ".5", "-", "json: 5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := catalog.ParseValue(text)
		if err != nil {
			return
		}
		back, err := catalog.ParseValue(v.String())
		if err != nil || back != v {
			t.Fatalf("%q parsed as %v %#q, which parses as %v %#q, %v", text, v.Kind(), v, back.Kind(), back, err)
		}
	})
}
