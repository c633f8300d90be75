package storefile

import (
	"bytes"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/mmapstore"
)

// MustBeAsCommitted returns an error unless a file has all the bytes that the catalog counts,
// behind a header of the storage.
func MustBeAsCommitted(f fsx.File, st catalog.Storage) error {
	if err := MustBeLong(f, st.HeaderBytes+st.PayloadBytes); err != nil || st.Adopted {
		return err
	}
	b := make([]byte, HeaderBytes)
	if _, err := f.ReadAt(b, 0); err != nil {
		return err
	}
	return mustBeHeaderOf(st, b, f.Name())
}

// MustBeLong returns ErrTruncated if a file has fewer bytes than were committed. What lies behind
// those is the rest of an append that was interrupted.
func MustBeLong(f fsx.File, want int64) error {
	fi, err := f.Stat()
	if err == nil && fi.Size() < want {
		return fmt.Errorf("%w: %s: expected %d bytes or more, found %d: restore the file from a copy, or take the tensor out of use with: tstore fsck --repair", mmapstore.ErrTruncated, f.Name(), want, fi.Size())
	}
	return err
}

// storageMagic begins the header of every storage file: the format's name and version, and the
// length of the rest.
var storageMagic = []byte("\x93NUMPY\x01\x00\xf6\x0f")

// mustBeHeaderOf returns ErrCorrupt if the header is that of another file. A header that is older
// than the catalog, or partly damaged, is still the storage's own.
func mustBeHeaderOf(st catalog.Storage, b []byte, path string) error {
	if HeaderSum(b) == st.HeaderSum {
		return nil
	}
	found := ""
	if _, sp, err := ParseHeader(bytes.NewReader(b)); !bytes.HasPrefix(b, storageMagic) {
		found = fmt.Sprintf("it begins with %q", b[:len(storageMagic)])
	} else if err == nil && sp.Storage != st.ID {
		found = fmt.Sprintf("it belongs to storage %v", sp.Storage)
	}
	if found == "" {
		return nil
	}
	return fmt.Errorf("%w: %s: expected the header of storage %v, found that %s: restore the file from a copy; or if only its header is damaged, write that again with: tstore fsck --repair", catalog.ErrCorrupt, path, st.ID, found)
}
