package storetest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tstore/tstore"
)

// Second returns the error of a call that returns something else, too.
func Second[T any](_ T, err error) error { return err }

// Must ends the test with an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// IgnoreMissing drops ErrNotFound.
func IgnoreMissing(err error) error {
	if errors.Is(err, tstore.ErrNotFound) {
		return nil
	}
	return err
}

// WantMentioned expects an error that says all parts.
func WantMentioned(t *testing.T, err error, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%v: does not mention %q", err, part)
		}
	}
}

// WantFuture wants an error that names the version found, and the one that this program knows.
func WantFuture(t *testing.T, err error, found int) {
	t.Helper()
	if !errors.Is(err, tstore.ErrFuture) {
		t.Errorf("got %v, expected ErrFuture", err)
		return
	}
	for _, part := range []string{fmt.Sprintf("format %d", found), "formats up to 1", "newer"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}
