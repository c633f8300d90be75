package catalog

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
)

// ID names a storage, or a store, for ever: 16 random bytes.
type ID [16]byte

// NewID returns a fresh random ID.
func NewID() ID {
	var id ID
	rand.Read(id[:]) // never fails: crypto/rand ends the process instead
	return id
}

// ParseID reads the 32 hex digits that String writes.
func ParseID(text string) (ID, error) {
	var id ID
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(id) {
		return id, fmt.Errorf("%w id %q: expected 32 hex digits", ErrInvalid, text)
	}
	copy(id[:], b)
	return id, nil
}

// idOf reads a key that is an ID.
func idOf(key []byte) (ID, error) {
	var id ID
	if len(key) != len(id) {
		return id, fmt.Errorf("id of %d bytes, expected %d", len(key), len(id))
	}
	copy(id[:], key)
	return id, nil
}

// String returns 32 lower-case hex digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// IsZero says that id is the zero value, which names nothing.
func (id ID) IsZero() bool { return id == ID{} }

// MarshalText returns the digits of String.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (id *ID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseID(string(text))
	return err
}
