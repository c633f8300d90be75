package devicetest

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// must returns a value, and ends the test where there is an error instead.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// ok fails the test if there is an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// wantError fails the test unless a call returned an error.
func wantError(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: no error", what)
	}
}

// wantIs fails the test unless a call returned an error that wraps another.
func wantIs(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got the error %v, want %v", what, err, want)
	}
}

// wantText fails the test unless an error has a text in it.
func wantText(t *testing.T, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got the error %v, want one with %q", what, err, want)
	}
}

// wantBytes fails the test unless bytes are others.
func wantBytes(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if bytes.Equal(got, want) {
		return
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s: byte %d of %d is %#x, want %#x", what, i, len(want), got[i], want[i])
			return
		}
	}
	t.Errorf("%s: got %d bytes, want %d", what, len(got), len(want))
}

// pattern returns n bytes that differ from those of other seeds.
func pattern(n, seed int) []byte {
	p := make([]byte, n)
	v := uint32(seed)*2654435761 + 12345
	for i := range p {
		v = v*1664525 + 1013904223
		p[i] = byte(v >> 24)
	}
	return p
}
