package catalog

import (
	"fmt"
	"strconv"
	"time"

	"github.com/tstore/tstore/catalog/internal/wire"
)

// FormatVersion is the number of the catalog format that this package writes, and the newest that
// it reads.
const FormatVersion = 1

// The keys of bucket meta. The format number is plain decimal text, so that every version can read
// it.
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

func encodeMeta(m Meta) []byte { return wire.Encode(&m, (*Meta).fields) }

func decodeMeta(message []byte) (Meta, error) {
	var m Meta
	if err := wire.Decode(message, &m, (*Meta).fields); err != nil {
		return Meta{}, err
	}
	if m.Store.IsZero() {
		return Meta{}, fmt.Errorf("no store id")
	}
	if m.Backup.ID.IsZero() {
		m.Backup = Backup{}
	}
	return m, nil
}

func (m *Meta) fields(c *wire.Coder) {
	c.Array(1, true, m.Store[:])
	c.Time(2, &m.Created)
	c.Uint(3, &m.Snapshots)
	c.Array(4, !m.Lineage.IsZero(), m.Lineage[:])
	wire.Message(c, 5, !m.Backup.ID.IsZero(), &m.Backup, (*Backup).fields)
}

func (b *Backup) fields(c *wire.Coder) {
	c.Array(1, true, b.ID[:])
	c.Uint(2, &b.Seq)
	c.Time(3, &b.Created)
	c.Text(4, &b.From)
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
