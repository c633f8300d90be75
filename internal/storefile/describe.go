package storefile

import (
	"io"
	"math"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/view"
)

// maxSharers is how many of the tensors of a storage are looked at for its header.
const maxSharers = 100

// HeaderIn returns the header of a storage that a catalog has, where its file has the present one.
func HeaderIn(c *catalog.Tx, st catalog.Storage, present Header) (Header, error) {
	names, err := c.Sharers(st.ID, maxSharers)
	if err != nil {
		return Header{}, err
	}
	var records []catalog.Record
	for _, name := range names {
		if rec, err := c.Get(name); err == nil {
			records = append(records, rec)
		}
	}
	return HeaderOf(st, present, records, len(names) < maxSharers)
}

// HeaderOf returns the header of a storage that tensors share. It describes the tensor that holds
// the elements of all of them from the first byte on. If there is none it is the present header, if
// that describes these bytes, or else a header of plain bytes. all reports that records lists every
// tensor of the storage: then the elements that they reach are enough.
func HeaderOf(st catalog.Storage, present Header, records []catalog.Record, all bool) (Header, error) {
	// reach is the number of payload bytes that the header has to describe.
	own := present.Spare.Storage == st.ID
	packed := own && present.Spare.Pack != nil
	reach := st.PayloadBytes
	if all && !packed {
		reach = reachOf(records)
	}

	// A dense tensor that begins at the first byte and has all of reach describes the file.
	for _, rec := range records {
		l, err := record.Layout(rec)
		if err != nil || l.Offset() != 0 || !l.IsDense() || int64(l.NumElems())*int64(rec.DType.Size()) != reach {
			continue
		}
		switch {
		case l.IsContiguous():
			return RecordHeader(rec, st, false)
		case l.IsFortran():
			return RecordHeader(rec, st, true)
		}
	}

	// No tensor does: keep the form of the present header if it fits.
	h := plainHeader(st)
	if packed {
		h.Spare.Pack = present.Spare.Pack
	} else if n, ok := present.payload(); own && ok && reach <= n && n <= st.PayloadBytes {
		h.DType, h.Shape, h.Fortran = present.DType, present.Shape, present.Fortran
		h.Spare.Name, h.Spare.Dims, h.Spare.Modified = present.Spare.Name, present.Spare.Dims, present.Spare.Modified
	}
	return h, nil
}

// reachOf returns the end of the last of the elements of tensors, in bytes of the payload.
func reachOf(records []catalog.Record) (end int64) {
	for _, rec := range records {
		if l, err := record.Layout(rec); err == nil {
			_, hi := l.Bounds()
			end = max(end, int64(hi)*int64(rec.DType.Size()))
		}
	}
	return end
}

// PresentHeader reads the header of a storage file.
func PresentHeader(r io.Reader) (Header, error) {
	h, sp, err := ParseHeader(r)
	if err != nil {
		return Header{}, err
	}
	return Header{DType: h.DType, Shape: h.Shape, Fortran: h.Fortran, Spare: sp}, nil
}

// payload returns how many bytes the header describes; ok is false if they are no tensor's.
func (h Header) payload() (n int64, ok bool) {
	l, err := view.NewLayout(h.Shape...)
	if err != nil || !h.DType.Valid() || l.NumElems() > (math.MaxInt64-HeaderBytes)/h.DType.Size() {
		return 0, false
	}
	return int64(l.NumElems()) * int64(h.DType.Size()), true
}
