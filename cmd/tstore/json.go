package main

import (
	"encoding/json"
	"io"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

// writeJSON writes v as one line.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// jsonTime is a time as JSON spells it: RFC 3339 in UTC, to the nanosecond.
func jsonTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// jsonScalar is an element: a number, true or false; nan and infinities are the strings "nan",
// "inf" and "-inf"; a complex number is the list of its two parts.
func jsonScalar(s dtype.Scalar) any {
	switch s.Type().Kind() {
	case dtype.KindComplex:
		return complexParts(s)
	case dtype.KindBool:
		return !s.IsZero()
	}
	if text := s.String(); json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return s.String()
}

// complexParts are the real and the imaginary part, each with as many digits as the type holds.
func complexParts(s dtype.Scalar) []any {
	c := s.Complex128()
	if s.Type() == dtype.Complex64 {
		return []any{jsonScalar(dtype.ScalarOf(float32(real(c)))), jsonScalar(dtype.ScalarOf(float32(imag(c))))}
	}
	return []any{jsonFloat(real(c)), jsonFloat(imag(c))}
}

// jsonFloat is the JSON form of a float64. It always has a point or an exponent, so that it stays a
// float in programs that tell.
func jsonFloat(f float64) any { return jsonScalar(dtype.ScalarOf(f)) }

// jsonValue is an attribute or a blob: JSON as it is, bytes as the string "hex:…".
func jsonValue(v catalog.Value) any {
	switch x := v.Any().(type) {
	case float64:
		return jsonFloat(x)
	case []byte:
		return v.String()
	default:
		return x
	}
}

// jsonAttrs is an object of the attributes, never null.
func jsonAttrs(attrs map[string]catalog.Value) map[string]any {
	out := make(map[string]any, len(attrs))
	for key, v := range attrs {
		out[key] = jsonValue(v)
	}
	return out
}
