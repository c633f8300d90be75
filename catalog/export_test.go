package catalog

import (
	"context"
	"encoding/binary"
	"hash/fnv"

	"github.com/tstore/tstore/catalog/internal/wire"
	"github.com/tstore/tstore/internal/fsx"
)

// Damage helpers for tests: they write what a broken disk, or an attacker, could.

// ResumMetas makes the checksums of both meta pages of a bbolt file right again.
func ResumMetas(file []byte, pageSize int) {
	const header, summed, size = 16, 56, 64
	for _, at := range []int{header, pageSize + header} {
		if at+size <= len(file) {
			h := fnv.New64a()
			h.Write(file[at : at+summed])
			binary.NativeEndian.PutUint64(file[at+summed:], h.Sum64())
		}
	}
}

// Reseal makes the value of a key, written by wire.Seal, carry another message.
func Reseal(bucket string, key, message []byte) []byte {
	return wire.Seal(wire.Version, bucket, key, message)
}

// NameKey returns the key of a name.
func NameKey(name string) []byte { return nameKey(name) }

// CreateOn is Create with file operations, other than bbolt's, that go through fsys.
func CreateOn(ctx context.Context, dir string, fsys fsx.FS) error {
	c, err := newCatalog(dir, nil)
	if err != nil {
		return err
	}
	c.fs = fsys
	if err := c.ensureLockFile(); err != nil {
		return err
	}
	return c.create(ctx)
}

// InstallOn is Install with file operations, other than bbolt's, that go through fsys.
func InstallOn(ctx context.Context, dir, file string, fsys fsx.FS) error {
	return install(ctx, dir, file, nil, fsys)
}

// CompactOn is Compact with file operations, other than bbolt's, that go through fsys.
func CompactOn(ctx context.Context, c *Catalog, fsys fsx.FS) error {
	own := c.fs
	defer func() { c.fs = own }()
	c.fs = fsys
	_, _, err := c.Compact(ctx)
	return err
}
