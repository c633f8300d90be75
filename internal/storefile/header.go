package storefile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/npyheader"
	"github.com/tstore/tstore/internal/record"
)

// HeaderBytes is the size of the padded .npy header of every storage file; the elements start right
// after it.
const HeaderBytes = 4096

// Spare is what a storage's header holds beyond what .npy can: enough to rebuild the catalog from
// the files alone. It stands in the header as JSON in a comment, which readers of .npy files skip.
type Spare struct {
	Format  int        `json:"tstore"`
	Storage catalog.ID `json:"storage"`
	DType   string     `json:"dtype,omitempty"`
	Name    string     `json:"name,omitempty"`
	Dims    []string   `json:"dims,omitempty"`
	Created time.Time  `json:"created,omitzero"`
	// Modified is the time of the last change of the tensor's record when the header was written.
	Modified time.Time `json:"modified,omitzero"`
	// Changes is the storage's count of changes when the header was written: of several files of a
	// storage, the one with the greatest is the last in use. Headers of older programs don't have
	// it.
	Changes *uint64 `json:"changes,omitempty"`
	// Pack is the offset and length, in the payload, of the list of tensors that share a packed
	// storage.
	Pack *[2]int64 `json:"pack,omitempty"`
}

// Header is what the header of a storage file describes.
type Header struct {
	DType   dtype.Type
	Shape   []int
	Fortran bool
	Spare   Spare
}

// Encode makes the 4,096 bytes. When everything does not fit, the axis names are left out, then the
// name: the catalog has them.
func (h Header) Encode() ([]byte, error) {
	h.Spare.Format = FormatVersion
	h.Spare.DType = h.DType.String()
	full := h.Spare
	short := full
	short.Dims = nil
	bare := short
	bare.Name = ""
	var err error
	for _, sp := range []Spare{full, short, bare} {
		var b []byte
		if b, err = h.encodeWith(sp); err == nil {
			return b, nil
		}
	}
	return nil, fmt.Errorf("encode header of storage %v: %w", h.Spare.Storage, err)
}

func (h Header) encodeWith(sp Spare) ([]byte, error) {
	comment, err := json.Marshal(sp)
	if err != nil {
		return nil, err
	}
	return npyheader.Encode(npyheader.Header{
		DType:   h.DType,
		Fortran: h.Fortran,
		Shape:   h.Shape,
		Comment: asciiJSON(comment),
	}, HeaderBytes)
}

// RecordHeader returns the header of a storage that one dense tensor fills.
func RecordHeader(rec catalog.Record, st catalog.Storage, fortran bool) (Header, error) {
	shape, err := record.Ints(rec.Shape)
	h := Header{DType: rec.DType, Shape: shape, Fortran: fortran, Spare: Spare{
		Storage: st.ID, Name: rec.Name, Dims: rec.Dims, Created: st.Created, Modified: rec.Modified, Changes: &st.Changes,
	}}
	return h, err
}

// plainHeader returns the header of a storage whose payload is just bytes.
func plainHeader(st catalog.Storage) Header {
	return Header{DType: dtype.Uint8, Shape: []int{int(st.PayloadBytes)}, Spare: Spare{Storage: st.ID, Created: st.Created, Changes: &st.Changes}}
}

// HeaderSum returns the checksum of a storage file's header that the catalog keeps.
func HeaderSum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// asciiJSON spells everything outside ASCII as \u escapes, since the header of a version 1 .npy
// file is not UTF-8.
func asciiJSON(b []byte) string {
	out := make([]byte, 0, len(b))
	for _, r := range string(b) {
		switch {
		case r < 0x7f:
			out = append(out, byte(r))
		case r > 0xffff:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return string(out)
}

// ParseHeader reads the header of a storage file, and its spare if it has one.
func ParseHeader(f interface{ Read([]byte) (int, error) }) (npyheader.Header, Spare, error) {
	h, err := npyheader.Read(f)
	if err != nil {
		return h, Spare{}, err
	}

	var sp Spare
	if h.Comment != "" {
		if err := json.Unmarshal([]byte(h.Comment), &sp); err != nil {
			return h, Spare{}, fmt.Errorf("%w: header comment: %v", catalog.ErrCorrupt, err)
		}
	}

	// NumPy has no name for some dtypes. The spare has the one that is meant.
	if h.DType == dtype.Invalid && sp.DType != "" {
		if h.DType, err = dtype.Parse(sp.DType); err != nil {
			return h, sp, fmt.Errorf("%w: header comment: %v", catalog.ErrCorrupt, err)
		}
	}
	return h, sp, nil
}

// PromisesMore reports whether a header describes more than payload bytes: NumPy does not read such
// a file.
func PromisesMore(header []byte, payload int64) bool {
	h, err := npyheader.Read(bytes.NewReader(header))
	return err == nil && h.PayloadBytes() > payload
}
