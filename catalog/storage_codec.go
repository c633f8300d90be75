package catalog

import (
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tstore/tstore/internal/sentinel"
)

// encodeStorage returns the message of a valid storage. The id is not in it: it is the key.
func encodeStorage(s *Storage) []byte {
	b := appendUint(nil, 1, uint64(s.Gen))
	b = appendBool(b, 2, s.Adopted)
	b = appendText(b, 3, s.Path)
	b = appendUint(b, 4, uint64(s.HeaderBytes))
	b = appendUint(b, 5, uint64(s.PayloadBytes))
	b = appendBool(b, 6, s.Sparse)
	b = appendUint(b, 7, uint64(s.State))
	b = appendText(b, 8, s.Writer)
	if s.Identity != (Identity{}) {
		b = appendBytes(b, 9, encodeIdentity(s.Identity))
	}
	b = appendUint(b, 10, uint64(s.Refs))
	b = appendUint(b, 11, s.Changes)
	b = appendTime(b, 12, s.Created)
	b = appendUint(b, 13, uint64(s.HeaderSum))
	for _, p := range s.Spans {
		b = appendBytes(b, 14, encodeSpan(p))
	}
	if s.Seal != nil {
		b = appendBytes(b, 15, encodeSeal(s.Seal))
	}
	b = appendUint(b, 16, s.Born)
	b = appendUint(b, 17, uint64(s.NextGen))
	b = appendText(b, 18, s.Boot)
	for i := range s.Writers {
		b = appendBytes(b, 19, encodeWriter(&s.Writers[i]))
	}
	if s.Written > s.PayloadBytes {
		b = appendUint(b, 20, uint64(s.Written))
	}
	b = appendUint(b, 21, uint64(s.HeaderWas))
	return b
}

func encodeSpan(p Span) []byte {
	b := appendUint(nil, 1, uint64(p.First))
	b = appendUint(b, 2, uint64(p.End))
	return appendUint(b, 3, p.Changes)
}

func encodeIdentity(i Identity) []byte {
	b := appendFixed(nil, 1, uint64(i.Size))
	b = appendFixed(b, 2, uint64(i.MTimeNs))
	b = appendFixed(b, 3, i.Inode)
	return appendFixed(b, 4, i.Dev)
}

// decodeStorage reads a message that may hold anything, and returns only valid storages.
func decodeStorage(id ID, message []byte) (Storage, error) {
	s := Storage{ID: id}
	for f, err := range fields(message) {
		if err != nil {
			return Storage{}, err
		}
		if err := s.set(f); err != nil {
			return Storage{}, fmt.Errorf("field %d: %w", f.num, err)
		}
	}
	return s, s.check()
}

// set takes over one field.
func (s *Storage) set(f field) (err error) {
	switch {
	case f.is(1, protowire.VarintType):
		s.Gen = uint32(f.u)
		if uint64(s.Gen) != f.u {
			return fmt.Errorf("generation %d is out of range", f.u)
		}
	case f.is(2, protowire.VarintType):
		s.Adopted = f.u != 0
	case f.is(3, protowire.BytesType):
		s.Path = string(f.b)
	case f.is(4, protowire.VarintType):
		s.HeaderBytes, err = nonNegative(f.u)
	case f.is(5, protowire.VarintType):
		s.PayloadBytes, err = nonNegative(f.u)
	case f.is(6, protowire.VarintType):
		s.Sparse = f.u != 0
	case f.is(7, protowire.VarintType):
		if f.u >= uint64(numStates) {
			return sentinel.NewerKind("storage state", f.u, FormatVersion)
		}
		s.State = State(f.u)
	case f.is(8, protowire.BytesType):
		s.Writer = string(f.b)
	case f.is(9, protowire.BytesType):
		s.Identity, err = decodeIdentity(f.b)
	case f.is(10, protowire.VarintType):
		s.Refs, err = nonNegative(f.u)
	case f.is(11, protowire.VarintType):
		s.Changes = f.u
	case f.is(12, protowire.Fixed64Type):
		s.Created = wireTime(f.u)
	case f.is(13, protowire.VarintType):
		s.HeaderSum, err = headerSum(f.u)
	case f.is(14, protowire.BytesType):
		if len(s.Spans) == MaxSpans {
			return fmt.Errorf("changes are counted in more than %d places", MaxSpans)
		}
		var p Span
		p, err = decodeSpan(f.b)
		s.Spans = append(s.Spans, p)
	case f.is(15, protowire.BytesType):
		s.Seal, err = decodeSeal(f.b)
	case f.is(16, protowire.VarintType):
		s.Born = f.u
	case f.is(17, protowire.VarintType):
		s.NextGen = uint32(f.u)
		if uint64(s.NextGen) != f.u {
			return fmt.Errorf("generation %d is out of range", f.u)
		}
	case f.is(18, protowire.BytesType):
		s.Boot = string(f.b)
	case f.is(19, protowire.BytesType):
		if len(s.Writers) == MaxWriters {
			return fmt.Errorf("more than %d parts are written in place", MaxWriters)
		}
		var w Writer
		w, err = decodeWriter(f.b)
		s.Writers = append(s.Writers, w)
	case f.is(20, protowire.VarintType):
		s.Written, err = nonNegative(f.u)
	case f.is(21, protowire.VarintType):
		s.HeaderWas, err = headerSum(f.u)
	}
	return err
}

func headerSum(u uint64) (uint32, error) {
	if u > math.MaxUint32 {
		return 0, fmt.Errorf("header checksum %d is out of range", u)
	}
	return uint32(u), nil
}

func decodeSpan(message []byte) (p Span, err error) {
	for f, failed := range fields(message) {
		switch {
		case failed != nil:
			return Span{}, failed
		case f.is(1, protowire.VarintType):
			p.First, err = nonNegative(f.u)
		case f.is(2, protowire.VarintType):
			p.End, err = nonNegative(f.u)
		case f.is(3, protowire.VarintType):
			p.Changes = f.u
		}
		if err != nil {
			return Span{}, err
		}
	}
	return p, nil
}

func decodeIdentity(message []byte) (Identity, error) {
	var i Identity
	for f, err := range fields(message) {
		switch {
		case err != nil:
			return Identity{}, err
		case f.is(1, protowire.Fixed64Type):
			i.Size = int64(f.u)
		case f.is(2, protowire.Fixed64Type):
			i.MTimeNs = int64(f.u)
		case f.is(3, protowire.Fixed64Type):
			i.Inode = f.u
		case f.is(4, protowire.Fixed64Type):
			i.Dev = f.u
		}
	}
	return i, nil
}
