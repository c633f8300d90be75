package tstore

import (
	"bytes"
	"context"
	"io"
	"math"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

func (s *engineStore) headerFor(ctx context.Context, st catalog.Storage) (h fileHeader, err error) {
	present, _ := s.readHeader(st)
	err = s.cat.View(ctx, func(c *catalog.Tx) error {
		h, err = headerIn(c, st, present)
		return err
	})
	return h, err
}

// headerIn is the header of a storage that a catalog has, where its file has the
// present one.
func headerIn(c *catalog.Tx, st catalog.Storage, present fileHeader) (fileHeader, error) {
	names, err := c.Sharers(st.ID, problemNames)
	if err != nil {
		return fileHeader{}, err
	}
	var records []catalog.Record
	for _, name := range names {
		if rec, err := c.Get(name); err == nil {
			records = append(records, rec)
		}
	}
	return headerOf(st, present, records, len(names) < problemNames)
}

// headerOf is the header of a storage that tensors share: that of the one that has
// the elements of all of them, from the first byte on; or else the present one, if it
// describes these; or one of plain bytes. all says that there are no
// other tensors: such may have elements up to the end.
func headerOf(st catalog.Storage, present fileHeader, records []catalog.Record, all bool) (fileHeader, error) {
	own := present.spare.Storage == st.ID
	packed := own && present.spare.Pack != nil
	reach := st.PayloadBytes
	if all && !packed {
		reach = reachOf(records)
	}
	for _, rec := range records {
		l, err := recordLayout(rec)
		if err != nil || l.Offset() != 0 || !l.IsDense() || int64(l.NumElems())*int64(rec.DType.Size()) != reach {
			continue
		}
		switch {
		case l.IsContiguous():
			return recordHeader(rec, st, false)
		case l.IsFortran():
			return recordHeader(rec, st, true)
		}
	}
	h := plainHeader(st)
	if packed {
		h.spare.Pack = present.spare.Pack
	} else if n, ok := present.payload(); own && ok && reach <= n && n <= st.PayloadBytes {
		h.dtype, h.shape, h.fortran = present.dtype, present.shape, present.fortran
		h.spare.Name, h.spare.Dims, h.spare.Modified = present.spare.Name, present.spare.Dims, present.spare.Modified
	}
	return h, nil
}

// reachOf is the end of the last of the elements of tensors, in bytes of the
// payload.
func reachOf(records []catalog.Record) (end int64) {
	for _, rec := range records {
		if l, err := recordLayout(rec); err == nil {
			_, hi := l.Bounds()
			end = max(end, int64(hi)*int64(rec.DType.Size()))
		}
	}
	return end
}

// readHeader is the header that the file of a storage has. Of one that is not what
// was written last, only the list of tensors counts.
func (s *engineStore) readHeader(st catalog.Storage) (fileHeader, error) {
	h, sum, err := s.anyHeader(st)
	if sum != st.HeaderSum {
		h.dtype = dtype.Invalid
	}
	return h, err
}

// anyHeader is the header that the file of a storage has, whether or not it is what was
// written last, and its checksum.
func (s *engineStore) anyHeader(st catalog.Storage) (h fileHeader, sum uint32, err error) {
	f, err := s.fs.OpenFile(s.dataPath(st), os.O_RDONLY, 0)
	if err != nil {
		return h, 0, err
	}
	defer f.Close()
	b := make([]byte, headerBytes)
	if _, err := f.ReadAt(b, 0); err != nil {
		return h, 0, err
	}
	h, err = presentHeader(bytes.NewReader(b))
	return h, headerSum(b), err
}

// presentHeader reads the header of a storage file.
func presentHeader(r io.Reader) (fileHeader, error) {
	h, sp, err := parseFileHeader(r)
	if err != nil {
		return fileHeader{}, err
	}
	return fileHeader{dtype: h.DType, shape: h.Shape, fortran: h.Fortran, spare: sp}, nil
}

// payload is how many bytes the header describes; ok is false if they are no tensor's.
func (h fileHeader) payload() (n int64, ok bool) {
	l, err := view.NewLayout(h.shape...)
	if err != nil || !h.dtype.Valid() || l.NumElems() > (math.MaxInt64-headerBytes)/h.dtype.Size() {
		return 0, false
	}
	return int64(l.NumElems()) * int64(h.dtype.Size()), true
}
