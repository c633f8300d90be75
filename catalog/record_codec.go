package catalog

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/sentinel"
	"google.golang.org/protobuf/encoding/protowire"
)

// dtypes maps the names written in records to types; only the canonical spelling is accepted.
var dtypes = func() map[string]dtype.Type {
	m := map[string]dtype.Type{}
	for _, t := range dtype.All() {
		m[t.String()] = t
	}
	return m
}()

// encodeRecord returns the message of a valid record. The name is not in it: it is the key.
func encodeRecord(r *Record) []byte {
	b := appendUint(nil, 1, uint64(r.Kind))
	if r.Kind == KindTensor {
		b = appendBytes(b, 2, r.Storage[:])
	}
	if r.DType.Valid() {
		b = appendText(b, 3, r.DType.String())
	}
	b = appendZigZags(b, 4, r.Shape)
	b = appendZigZags(b, 5, r.Strides)
	b = appendUint(b, 6, uint64(r.Offset))
	for _, d := range r.Dims {
		b = appendBytes(b, 7, []byte(d))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Attrs)) {
		attr := appendText(nil, 1, name)
		attr = appendBytes(attr, 2, encodeValue(r.Attrs[name]))
		b = appendBytes(b, 8, attr)
	}
	b = appendUint(b, 9, r.Version)
	b = appendText(b, 10, r.Parent)
	b = appendTime(b, 11, r.Created)
	b = appendTime(b, 12, r.Modified)
	if r.Kind == KindBlob {
		b = appendBytes(b, 13, encodeValue(r.Blob))
	}
	if !r.Formula.IsZero() {
		b = appendBytes(b, 14, encodeFormula(r.Formula))
	}
	return b
}

// decodeRecord reads a message that may hold anything, and returns only valid records.
func decodeRecord(name string, message []byte) (Record, error) {
	r := Record{Name: name}
	for f, err := range fields(message) {
		if err != nil {
			return Record{}, err
		}
		if err := r.set(f); err != nil {
			return Record{}, fmt.Errorf("field %d: %w", f.num, err)
		}
	}
	return r, r.check()
}

// set takes over one field.
func (r *Record) set(f field) (err error) {
	switch {
	case f.is(1, protowire.VarintType):
		if f.u >= uint64(numKinds) {
			return sentinel.NewerKind("record kind", f.u, FormatVersion)
		}
		r.Kind = Kind(f.u)
	case f.is(2, protowire.BytesType):
		r.Storage, err = wireID(f.b)
	case f.is(3, protowire.BytesType):
		known := false
		if r.DType, known = dtypes[string(f.b)]; !known {
			return sentinel.NewerKind("dtype", fmt.Sprintf("%.20q", f.b), FormatVersion)
		}
	case f.is(4, protowire.BytesType):
		r.Shape, err = zigZags(f.b)
	case f.is(5, protowire.BytesType):
		r.Strides, err = zigZags(f.b)
	case f.is(6, protowire.VarintType):
		r.Offset, err = nonNegative(f.u)
	case f.is(7, protowire.BytesType):
		if len(r.Dims) == MaxRank {
			return fmt.Errorf("more than %d dimension names", MaxRank)
		}
		r.Dims = append(r.Dims, string(f.b))
	case f.is(8, protowire.BytesType):
		return r.setAttr(f.b)
	case f.is(9, protowire.VarintType):
		r.Version = f.u
	case f.is(10, protowire.BytesType):
		r.Parent = string(f.b)
	case f.is(11, protowire.Fixed64Type):
		r.Created = wireTime(f.u)
	case f.is(12, protowire.Fixed64Type):
		r.Modified = wireTime(f.u)
	case f.is(13, protowire.BytesType):
		r.Blob, err = decodeValue(f.b)
	case f.is(14, protowire.BytesType):
		r.Formula, err = decodeFormula(f.b)
	}
	return err
}

func (r *Record) setAttr(message []byte) error {
	var name string
	var v Value
	for f, err := range fields(message) {
		switch {
		case err != nil:
			return err
		case f.is(1, protowire.BytesType):
			name = string(f.b)
		case f.is(2, protowire.BytesType):
			if v, err = decodeValue(f.b); err != nil {
				return err
			}
		}
	}
	if r.Attrs == nil {
		r.Attrs = map[string]Value{}
	}
	if len(r.Attrs) == MaxAttrs {
		return fmt.Errorf("more than %d attributes", MaxAttrs)
	}
	r.Attrs[name] = v
	return nil
}

func wireID(b []byte) (ID, error) {
	var id ID
	if len(b) != len(id) {
		return id, fmt.Errorf("id of %d bytes, expected %d", len(b), len(id))
	}
	copy(id[:], b)
	return id, nil
}

// encodeValue returns the message of a value: one field, whose number tells the kind.
func encodeValue(v Value) []byte {
	num := protowire.Number(v.kind)
	switch v.kind {
	case ValueInt:
		return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), protowire.EncodeZigZag(int64(v.num)))
	case ValueFloat:
		return protowire.AppendFixed64(protowire.AppendTag(nil, num, protowire.Fixed64Type), v.num)
	case ValueBool:
		return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), v.num)
	}
	return appendBytes(nil, num, []byte(v.text))
}

func decodeValue(message []byte) (Value, error) {
	var v Value
	var unknown protowire.Number
	for f, err := range fields(message) {
		switch {
		case err != nil:
			return Value{}, err
		case f.is(protowire.Number(ValueInt), protowire.VarintType):
			v = IntValue(protowire.DecodeZigZag(f.u))
		case f.is(protowire.Number(ValueFloat), protowire.Fixed64Type):
			v = FloatValue(math.Float64frombits(f.u))
		case f.is(protowire.Number(ValueBool), protowire.VarintType):
			v = BoolValue(f.u != 0)
		case f.is(protowire.Number(ValueString), protowire.BytesType),
			f.is(protowire.Number(ValueBytes), protowire.BytesType),
			f.is(protowire.Number(ValueJSON), protowire.BytesType):
			v = Value{kind: ValueKind(f.num), text: string(f.b)}
		default:
			unknown = f.num
		}
	}
	if v.kind == ValueNone && unknown != 0 {
		return Value{}, sentinel.NewerKind("value kind", unknown, FormatVersion)
	}
	return v, v.check()
}
