package engine

import (
	"bytes"
	"context"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storefile"
)

// HeaderFor returns the header that the file of a storage is to have.
func (s *Store) HeaderFor(ctx context.Context, st catalog.Storage) (h storefile.Header, err error) {
	present, _ := s.ReadHeader(st)
	err = s.Catalog.View(ctx, func(c *catalog.Tx) error {
		h, err = storefile.HeaderIn(c, st, present)
		return err
	})
	return h, err
}

// ReadHeader returns the header in the file of a storage. If it is not the header that was written
// last, only its list of tensors counts, and the dtype is Invalid.
func (s *Store) ReadHeader(st catalog.Storage) (storefile.Header, error) {
	h, sum, err := s.anyHeader(st)
	if sum != st.HeaderSum {
		h.DType = dtype.Invalid
	}
	return h, err
}

// anyHeader returns the header in the file of a storage, also one that is not the last that was
// written, and its checksum.
func (s *Store) anyHeader(st catalog.Storage) (h storefile.Header, sum uint32, err error) {
	f, err := s.FS.OpenFile(s.DataPath(st), os.O_RDONLY, 0)
	if err != nil {
		return h, 0, err
	}
	defer f.Close()
	b := make([]byte, storefile.HeaderBytes)
	if _, err := f.ReadAt(b, 0); err != nil {
		return h, 0, err
	}
	h, err = storefile.PresentHeader(bytes.NewReader(b))
	return h, storefile.HeaderSum(b), err
}
