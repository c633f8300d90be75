package catalog

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"iter"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tstore/tstore/internal/sentinel"
)

// wireVersion is the first byte of every value but a patch of several runs.
const wireVersion = 1

// newestVersion returns the greatest version byte that the values of a bucket have.
func newestVersion(bucket string) byte {
	if bucket == patchesBucket {
		return runsVersion
	}
	return wireVersion
}

const crcBytes = 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// seal wraps a message as the value of key in bucket: version byte, message, crc32c of bucket, key, version and message.
func seal(bucket string, key, message []byte) []byte {
	return sealAs(wireVersion, bucket, key, message)
}

// sealAs is seal with another version byte.
func sealAs(version byte, bucket string, key, message []byte) []byte {
	value := make([]byte, 0, 1+len(message)+crcBytes)
	value = append(value, version)
	value = append(value, message...)
	return binary.LittleEndian.AppendUint32(value, checksum(bucket, key, value))
}

// unseal checks a value and returns the message inside it, without copying.
func unseal(bucket string, key, value []byte) ([]byte, error) {
	if len(value) < 1+crcBytes || len(value) > 1+maxMessageBytes+crcBytes {
		return nil, fmt.Errorf("value of %d bytes", len(value))
	}
	body, sum := value[:len(value)-crcBytes], binary.LittleEndian.Uint32(value[len(value)-crcBytes:])
	if found := checksum(bucket, key, body); found != sum {
		return nil, fmt.Errorf("checksum is %08x, expected %08x", found, sum)
	}
	if newest := newestVersion(bucket); body[0] < wireVersion || body[0] > newest {
		return nil, sentinel.Newer("a value", int(body[0]), int(newest))
	}
	return body[1:], nil
}

func checksum(bucket string, key, body []byte) uint32 {
	sum := crc32.Update(0, castagnoli, []byte(bucket))
	sum = crc32.Update(sum, castagnoli, key)
	return crc32.Update(sum, castagnoli, body)
}

// field is one field of a message: u holds numbers, b holds bytes.
type field struct {
	num protowire.Number
	typ protowire.Type
	u   uint64
	b   []byte
}

// is says that the field has this number and type. Fields of an unexpected type count as unknown, and are skipped.
func (f field) is(num protowire.Number, typ protowire.Type) bool { return f.num == num && f.typ == typ }

// fields yields the fields of a message, and an error at most once, at the end.
func fields(message []byte) iter.Seq2[field, error] {
	return func(yield func(field, error) bool) {
		for b := message; len(b) > 0; {
			f, n := consumeField(b)
			if n < 0 {
				yield(field{}, protowire.ParseError(n))
				return
			}
			if !yield(f, nil) {
				return
			}
			b = b[n:]
		}
	}
}

// consumeField reads one field and returns its length, negative for an error that protowire.ParseError knows.
func consumeField(b []byte) (field, int) {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 {
		return field{}, n
	}
	f := field{num: num, typ: typ}
	m := 0
	switch typ {
	case protowire.VarintType:
		f.u, m = protowire.ConsumeVarint(b[n:])
	case protowire.Fixed64Type:
		f.u, m = protowire.ConsumeFixed64(b[n:])
	case protowire.BytesType:
		f.b, m = protowire.ConsumeBytes(b[n:])
	default:
		m = protowire.ConsumeFieldValue(num, typ, b[n:])
	}
	if m < 0 {
		return field{}, m
	}
	return f, n + m
}

func appendUint(b []byte, num protowire.Number, u uint64) []byte {
	if u == 0 {
		return b
	}
	return protowire.AppendVarint(protowire.AppendTag(b, num, protowire.VarintType), u)
}

func appendBool(b []byte, num protowire.Number, v bool) []byte {
	return appendUint(b, num, protowire.EncodeBool(v))
}

func appendFixed(b []byte, num protowire.Number, u uint64) []byte {
	if u == 0 {
		return b
	}
	return protowire.AppendFixed64(protowire.AppendTag(b, num, protowire.Fixed64Type), u)
}

func appendText(b []byte, num protowire.Number, s string) []byte {
	if s == "" {
		return b
	}
	return protowire.AppendString(protowire.AppendTag(b, num, protowire.BytesType), s)
}

// appendBytes keeps empty messages and elements of repeated fields, unlike appendText.
func appendBytes(b []byte, num protowire.Number, v []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, num, protowire.BytesType), v)
}

// appendZigZags writes a packed repeated sint64.
func appendZigZags(b []byte, num protowire.Number, vs []int64) []byte {
	if len(vs) == 0 {
		return b
	}
	var packed []byte
	for _, v := range vs {
		packed = protowire.AppendVarint(packed, protowire.EncodeZigZag(v))
	}
	return appendBytes(b, num, packed)
}

// zigZags reads a packed repeated sint64 of at most MaxRank numbers.
func zigZags(b []byte) ([]int64, error) {
	var vs []int64
	for len(b) > 0 {
		u, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return nil, protowire.ParseError(n)
		}
		if len(vs) == MaxRank {
			return nil, fmt.Errorf("more than %d axes", MaxRank)
		}
		vs = append(vs, protowire.DecodeZigZag(u))
		b = b[n:]
	}
	return vs, nil
}

// nonNegative converts a number that is stored unsigned and used as an int64.
func nonNegative(u uint64) (int64, error) {
	if u > math.MaxInt64 {
		return 0, fmt.Errorf("number %d is out of range", u)
	}
	return int64(u), nil
}

// appendTime writes nanoseconds since 1970; the zero time is left out.
func appendTime(b []byte, num protowire.Number, t time.Time) []byte {
	if t.IsZero() {
		return b
	}
	return protowire.AppendFixed64(protowire.AppendTag(b, num, protowire.Fixed64Type), uint64(t.UnixNano()))
}

func wireTime(u uint64) time.Time { return time.Unix(0, int64(u)).UTC() }
