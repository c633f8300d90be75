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
}

func encodeMeta(m Meta) []byte {
	b := appendTime(appendBytes(nil, 1, m.Store[:]), 2, m.Created)
	return appendUint(b, 3, m.Snapshots)
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
