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

// HeaderIn is the header of a storage that a catalog has, where its file has the present one.
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

// HeaderOf is the header of a storage that tensors share: that of the one that has
// the elements of all of them, from the first byte on; or else the present one, if it
// describes these; or one of plain bytes. all says that there are no
// other tensors: such may have elements up to the end.
func HeaderOf(st catalog.Storage, present Header, records []catalog.Record, all bool) (Header, error) {
	own := present.Spare.Storage == st.ID
	packed := own && present.Spare.Pack != nil
	reach := st.PayloadBytes
	if all && !packed {
		reach = reachOf(records)
	}
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
	h := plainHeader(st)
	if packed {
		h.Spare.Pack = present.Spare.Pack
	} else if n, ok := present.payload(); own && ok && reach <= n && n <= st.PayloadBytes {
		h.DType, h.Shape, h.Fortran = present.DType, present.Shape, present.Fortran
		h.Spare.Name, h.Spare.Dims, h.Spare.Modified = present.Spare.Name, present.Spare.Dims, present.Spare.Modified
	}
	return h, nil
}

// reachOf is the end of the last of the elements of tensors, in bytes of the payload.
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

// payload is how many bytes the header describes; ok is false if they are no tensor's.
func (h Header) payload() (n int64, ok bool) {
	l, err := view.NewLayout(h.Shape...)
	if err != nil || !h.DType.Valid() || l.NumElems() > (math.MaxInt64-HeaderBytes)/h.DType.Size() {
		return 0, false
	}
	return int64(l.NumElems()) * int64(h.DType.Size()), true
}
