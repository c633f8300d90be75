package catalog

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxValueBytes is the size of the largest string, byte or JSON value. Larger data belongs into a
// tensor.
const MaxValueBytes = 4 << 20

// ValueKind is the type of a Value.
type ValueKind uint8

// The kinds of values. The zero kind is that of the zero Value, which holds nothing.
const (
	ValueNone ValueKind = iota
	ValueString
	ValueInt
	ValueFloat
	ValueBool
	ValueBytes
	ValueJSON
)

var valueKindNames = [...]string{"none", "string", "int", "float", "bool", "bytes", "json"}

// String returns "string", "int", "float", "bool", "bytes", "json" or "none".
func (k ValueKind) String() string {
	if int(k) < len(valueKindNames) {
		return valueKindNames[k]
	}
	return fmt.Sprintf("ValueKind(%d)", uint8(k))
}

// ParseValueKind reads what ValueKind.String writes, except "none".
func ParseValueKind(text string) (ValueKind, error) {
	for k, name := range valueKindNames {
		if name == text && k != int(ValueNone) {
			return ValueKind(k), nil
		}
	}
	return ValueNone, fmt.Errorf("%w value type %q: expected one of %s", ErrInvalid, text, strings.Join(valueKindNames[1:], ", "))
}

// Value is one typed attribute or blob. It is immutable and comparable; the zero Value holds
// nothing.
type Value struct {
	kind ValueKind
	num  uint64 // an int64, the bits of a float64, or 0 and 1
	text string // the bytes of strings, bytes and JSON
}

// StringValue returns a string, which is expected to be valid UTF-8.
func StringValue(s string) Value { return Value{kind: ValueString, text: s} }

// IntValue returns an integer.
func IntValue(i int64) Value { return Value{kind: ValueInt, num: uint64(i)} }

// FloatValue returns a floating-point number. All NaNs become one.
func FloatValue(f float64) Value {
	if f != f {
		f = math.NaN()
	}
	return Value{kind: ValueFloat, num: math.Float64bits(f)}
}

// BoolValue returns a truth value.
func BoolValue(b bool) Value {
	v := Value{kind: ValueBool}
	if b {
		v.num = 1
	}
	return v
}

// BytesValue returns a copy of b.
func BytesValue(b []byte) Value { return Value{kind: ValueBytes, text: string(b)} }

// JSONValue returns a JSON text as it is written, or an error that says where it is not JSON.
func JSONValue(text string) (Value, error) {
	v := Value{kind: ValueJSON, text: text}
	return v, v.check()
}

// check says whether v can be stored.
func (v Value) check() error {
	if len(v.text) > MaxValueBytes {
		return fmt.Errorf("%w %s value of %d bytes: at most %d are allowed; store a tensor instead", ErrInvalid, v.kind, len(v.text), MaxValueBytes)
	}

	switch v.kind {
	case ValueString:
		if !utf8.ValidString(v.text) {
			return fmt.Errorf("%w string value: it is not valid UTF-8; use bytes", ErrInvalid)
		}
	case ValueJSON:
		var raw json.RawMessage
		if err := json.Unmarshal([]byte(v.text), &raw); err != nil {
			return fmt.Errorf("%w json value: %v", ErrInvalid, err)
		}
		if !utf8.ValidString(v.text) {
			return fmt.Errorf("%w json value: it is not valid UTF-8", ErrInvalid)
		}
	case ValueInt, ValueFloat, ValueBool, ValueBytes:
	default:
		return fmt.Errorf("%w value: it holds nothing", ErrInvalid)
	}

	return nil
}

// Kind returns the type of v.
func (v Value) Kind() ValueKind { return v.kind }

// Equal says that both have the same type and content, as == does.
func (v Value) Equal(other Value) bool { return v == other }

// Text returns a string value, or an error that names the type found.
func (v Value) Text() (string, error) { return v.text, v.want(ValueString) }

// Int returns an integer value, or an error that names the type found.
func (v Value) Int() (int64, error) { return int64(v.num), v.want(ValueInt) }

// Float returns a floating-point or integer value as a float64, or an error that names the type
// found.
func (v Value) Float() (float64, error) {
	if v.kind == ValueInt {
		return float64(int64(v.num)), nil
	}
	return math.Float64frombits(v.num), v.want(ValueFloat)
}

// Bool returns a truth value, or an error that names the type found.
func (v Value) Bool() (bool, error) { return v.num == 1, v.want(ValueBool) }

// Bytes returns a copy of a bytes value, or an error that names the type found.
func (v Value) Bytes() ([]byte, error) { return []byte(v.text), v.want(ValueBytes) }

// JSON returns a JSON text, or an error that names the type found.
func (v Value) JSON() (string, error) { return v.text, v.want(ValueJSON) }

// Any returns v as a string, int64, float64, bool, []byte or json.RawMessage; nil for the zero
// Value.
func (v Value) Any() any {
	switch v.kind {
	case ValueString:
		return v.text
	case ValueInt:
		return int64(v.num)
	case ValueFloat:
		return math.Float64frombits(v.num)
	case ValueBool:
		return v.num == 1
	case ValueBytes:
		return []byte(v.text)
	case ValueJSON:
		return json.RawMessage(v.text)
	}
	return nil
}

func (v Value) want(k ValueKind) error {
	if v.kind == k {
		return nil
	}
	return fmt.Errorf("value is %s, not %s", v.kind, k)
}

// The prefixes by which String and ParseValue mark values that plain text could not show.
const (
	hexPrefix  = "hex:"
	jsonPrefix = "json:"
)

// String returns text from which ParseValue makes v again: numbers, true and false as they are,
// JSON objects and arrays as they are and other JSON after "json:", bytes after "hex:", and strings
// plain or, when they look like one of those, in double quotes as JSON.
func (v Value) String() string {
	switch v.kind {
	case ValueString:
		return quoteIfNeeded(v.text)
	case ValueInt:
		return strconv.FormatInt(int64(v.num), 10)
	case ValueFloat:
		return formatFloat(math.Float64frombits(v.num))
	case ValueBool:
		return strconv.FormatBool(v.num == 1)
	case ValueBytes:
		return hexPrefix + hex.EncodeToString([]byte(v.text))
	case ValueJSON:
		if strings.HasPrefix(v.text, "{") || strings.HasPrefix(v.text, "[") {
			return v.text
		}
		return jsonPrefix + v.text
	}
	return ""
}

func quoteIfNeeded(s string) string {
	if v, err := ParseValue(s); err == nil && v == StringValue(s) {
		return s
	}
	quoted, err := json.Marshal(s)
	if err != nil {
		panic("BUG: a string cannot be written as JSON: " + err.Error())
	}
	return string(quoted)
}

func formatFloat(f float64) string {
	switch {
	case f != f:
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// ParseValue guesses the type of a value written by a person: true and false, integers, floats
// (also nan, inf, -inf), JSON objects and arrays, "json:…", "hex:…", a string in double quotes;
// everything else is a string as it stands.
func ParseValue(text string) (Value, error) {
	kind, body := guessKind(text)
	return ParseValueAs(kind, body)
}

// guessKind returns the kind that text looks like, and the part of it that holds the value.
func guessKind(text string) (ValueKind, string) {
	switch {
	case text == "":
		return ValueString, text
	case text == "true" || text == "false":
		return ValueBool, text
	case strings.HasPrefix(text, hexPrefix):
		return ValueBytes, text[len(hexPrefix):]
	case strings.HasPrefix(text, jsonPrefix):
		return ValueJSON, text[len(jsonPrefix):]
	case text[0] == '{' || text[0] == '[':
		return ValueJSON, text
	case text[0] == '"':
		var s string
		if json.Unmarshal([]byte(text), &s) == nil {
			return ValueString, s
		}
		return ValueString, text
	}
	return guessNumber(text), text
}

// guessNumber returns ValueInt or ValueFloat when text is a decimal number, else ValueString.
func guessNumber(text string) ValueKind {
	if text == "nan" || text == "inf" || text == "-inf" {
		return ValueFloat
	}
	if strings.Trim(text, "0123456789+-.eE") != "" || strings.Trim(text, "+-.eE") == "" {
		return ValueString
	}
	if _, err := strconv.ParseInt(text, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return ValueInt
	}
	if _, err := strconv.ParseFloat(text, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return ValueFloat
	}
	return ValueString
}

// ParseValueAs reads text as a value of kind k. Bytes are written as hex digits.
func ParseValueAs(k ValueKind, text string) (Value, error) {
	var v Value

	var err error
	switch k {
	case ValueString:
		v = StringValue(text)
	case ValueInt:
		var i int64
		i, err = strconv.ParseInt(text, 10, 64)
		v = IntValue(i)
	case ValueFloat:
		var f float64
		f, err = strconv.ParseFloat(text, 64)
		v = FloatValue(f)
	case ValueBool:
		var b bool
		b, err = strconv.ParseBool(text)
		v = BoolValue(b)
	case ValueBytes:
		var b []byte
		b, err = hex.DecodeString(text)
		v = BytesValue(b)
	case ValueJSON:
		v = Value{kind: ValueJSON, text: text}
	}

	if err != nil {
		return Value{}, fmt.Errorf("%w %s value %q: %w", ErrInvalid, k, text, errors.Unwrap(err))
	}
	if err := v.check(); err != nil {
		return Value{}, err
	}

	return v, nil
}
