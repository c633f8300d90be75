package store

import (
	"encoding/json"
	"fmt"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/record"
)

// maxListBytes bounds the list of tensors of a shared file. packEntries of them stay far below.
const maxListBytes = 1 << 30

// ReadPack reads the list of tensors in a shared file f, the file of st. at has the offset of the
// list in the payload, and its length, in bytes. It returns ErrCorrupt if the list, or a tensor in
// it, lies outside of the payload.
func ReadPack(f fsx.File, st catalog.Storage, at [2]int64) ([]catalog.Record, error) {
	off, n := at[0], at[1]
	if off < 0 || n < 0 || n > maxListBytes || off > st.PayloadBytes-n {
		return nil, fmt.Errorf("%w: the list of tensors is said to be at byte %d, %d bytes long", ErrCorrupt, off, n)
	}

	b := make([]byte, n)
	if _, err := f.ReadAt(b, st.HeaderBytes+off); err != nil {
		return nil, err
	}
	var entries []packEntry
	if err := json.Unmarshal(b, &entries); err != nil {
		return nil, fmt.Errorf("%w: list of tensors: %v", ErrCorrupt, err)
	}

	var records []catalog.Record
	for _, e := range entries {
		t, err := dtype.Parse(e.DType)
		if err != nil {
			return nil, err
		}
		spec := Spec{DType: t, Shape: e.Shape, Dims: e.Dims}
		if e.Fortran {
			spec.Order = ColumnMajor
		}
		rec, err := SalvagedRecord(e.Name, spec, st, e.Offset)
		if err != nil {
			return nil, err
		}
		records = append(records, rec)
	}
	return records, nil
}

// SalvagedRecord returns the record of a tensor of the given description whose elements begin
// offset bytes into the payload of st. It returns ErrCorrupt if the tensor does not fit there.
func SalvagedRecord(name string, sp Spec, st catalog.Storage, offset int64) (catalog.Record, error) {
	l, err := sp.Layout()
	if err != nil {
		return catalog.Record{}, err
	}
	n, err := sp.NumBytes()
	if err != nil {
		return catalog.Record{}, err
	}
	if offset < 0 || offset > st.PayloadBytes-n || offset%int64(sp.DType.Size()) != 0 {
		return catalog.Record{}, fmt.Errorf("%w: tensor %q is said to be at byte %d of %d", ErrCorrupt, name, offset, st.PayloadBytes)
	}
	rec := record.New(st.ID, sp.DType, l)
	rec.Name, rec.Dims, rec.Created = name, sp.Dims, st.Created
	rec.Offset = offset / int64(sp.DType.Size())
	return rec, nil
}
