package catalog

import (
	"fmt"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// FormatVersion is the number of the catalog format that this package writes, and the newest that it reads.
const FormatVersion = 1

// The keys of bucket meta. The format number is plain decimal text, so that every version can read it.
var (
	formatKey = []byte("format")
	storeKey  = []byte("store")
)

// Meta is what a catalog says of itself.
type Meta struct {
	Format  int       // FormatVersion when it was made
	Store   ID        // the store that it belongs to
	Created time.Time // UTC

	Snapshots uint64 // the number of the last snapshot that was made

	Lineage ID     // zero, or set when the store was restored or salvaged: since then it is another than the one it was
	Backup  Backup // set if this is a backup, which nobody changes; its ID is zero if it is none
}

// Backup says what a catalog is a copy of: a state of the store that its Meta names.
type Backup struct {
	ID      ID        // of the state
	Seq     uint64    // 1 for the first backup in a folder, greater for each later one
	Created time.Time // UTC
	From    string    // the folder of the store
}

func encodeMeta(m Meta) []byte {
	b := appendTime(appendBytes(nil, 1, m.Store[:]), 2, m.Created)
	b = appendUint(b, 3, m.Snapshots)
	if !m.Lineage.IsZero() {
		b = appendBytes(b, 4, m.Lineage[:])
	}
	if !m.Backup.ID.IsZero() {
		b = appendBytes(b, 5, encodeBackup(m.Backup))
	}
	return b
}

func encodeBackup(s Backup) []byte {
	b := appendUint(appendBytes(nil, 1, s.ID[:]), 2, s.Seq)
	return appendText(appendTime(b, 3, s.Created), 4, s.From)
}

func decodeBackup(message []byte) (s Backup, err error) {
	for f, err := range fields(message) {
		switch {
		case err != nil:
			return s, err
		case f.is(1, protowire.BytesType):
			if s.ID, err = wireID(f.b); err != nil {
				return s, err
			}
		case f.is(2, protowire.VarintType):
			s.Seq = f.u
		case f.is(3, protowire.Fixed64Type):
			s.Created = wireTime(f.u)
		case f.is(4, protowire.BytesType):
			s.From = string(f.b)
		}
	}
	if s.ID.IsZero() {
		return Backup{}, nil
	}
	return s, nil
}

func decodeMeta(message []byte) (Meta, error) {
	var m Meta
	for f, err := range fields(message) {
		switch {
		case err != nil:
			return Meta{}, err
		case f.is(1, protowire.BytesType):
			if m.Store, err = wireID(f.b); err != nil {
				return Meta{}, err
			}
		case f.is(2, protowire.Fixed64Type):
			m.Created = wireTime(f.u)
		case f.is(3, protowire.VarintType):
			m.Snapshots = f.u
		case f.is(4, protowire.BytesType):
			if m.Lineage, err = wireID(f.b); err != nil {
				return Meta{}, err
			}
		case f.is(5, protowire.BytesType):
			if m.Backup, err = decodeBackup(f.b); err != nil {
				return Meta{}, err
			}
		}
	}
	if m.Store.IsZero() {
		return Meta{}, fmt.Errorf("no store id")
	}
	return m, nil
}

// parseFormat reads the format number.
func parseFormat(text []byte) (int, error) {
	if len(text) > 9 {
		return 0, fmt.Errorf("format number of %d digits", len(text))
	}
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("format number %q", text)
	}
	return n, nil
}
