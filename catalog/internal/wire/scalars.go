package wire

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// Varint writes a number if set, or reads it. It reports whether it has read it.
func (c *Coder) Varint(num Num, set bool, v *uint64) bool {
	switch {
	case c.writing && set:
		c.b = protowire.AppendVarint(protowire.AppendTag(c.b, num, varintType), *v)
	case !c.writing && c.at(num, varintType):
		*v = c.take().u
		return true
	}
	return false
}

// Fixed is Varint of a number that takes eight bytes.
func (c *Coder) Fixed(num Num, set bool, v *uint64) bool {
	switch {
	case c.writing && set:
		c.b = protowire.AppendFixed64(protowire.AppendTag(c.b, num, fixedType), *v)
	case !c.writing && c.at(num, fixedType):
		*v = c.take().u
		return true
	}
	return false
}

// String is Varint of a string.
func (c *Coder) String(num Num, set bool, v *string) bool {
	switch {
	case c.writing && set:
		c.b = protowire.AppendString(protowire.AppendTag(c.b, num, bytesType), *v)
	case !c.writing && c.at(num, bytesType):
		*v = string(c.take().b)
		return true
	}
	return false
}

// Raw is Varint of bytes, which are those of the message when they are read.
func (c *Coder) Raw(num Num, set bool, v *[]byte) bool {
	switch {
	case c.writing && set:
		c.b = protowire.AppendBytes(protowire.AppendTag(c.b, num, bytesType), *v)
	case !c.writing && c.at(num, bytesType):
		*v = c.take().b
		return true
	}
	return false
}

// Uint is a number.
func (c *Coder) Uint(num Num, v *uint64) { c.Varint(num, *v != 0, v) }

// Uint32 is a number that fits into 32 bits.
func (c *Coder) Uint32(num Num, v *uint32) {
	u := uint64(*v)
	if !c.Varint(num, u != 0, &u) {
		return
	}
	if u > math.MaxUint32 {
		c.Fail(fmt.Errorf("number %d is out of range", u))
		return
	}
	*v = uint32(u)
}

// Count is a number that is not negative.
func (c *Coder) Count(num Num, v *int64) {
	u := uint64(*v)
	if !c.Varint(num, u != 0, &u) {
		return
	}
	if u > math.MaxInt64 {
		c.Fail(fmt.Errorf("number %d is out of range", u))
		return
	}
	*v = int64(u)
}

// Int is a number that is seldom negative.
func (c *Coder) Int(num Num, v *int64) {
	u := uint64(*v)
	if c.Varint(num, u != 0, &u) {
		*v = int64(u)
	}
}

// FixedInt is a number that takes eight bytes.
func (c *Coder) FixedInt(num Num, v *int64) {
	u := uint64(*v)
	if c.Fixed(num, u != 0, &u) {
		*v = int64(u)
	}
}

// Bool is a truth value.
func (c *Coder) Bool(num Num, v *bool) {
	u := protowire.EncodeBool(*v)
	if c.Varint(num, *v, &u) {
		*v = u != 0
	}
}

// Time is a time in nanoseconds since 1970.
func (c *Coder) Time(num Num, v *time.Time) {
	u := uint64(v.UnixNano())
	if c.Fixed(num, !v.IsZero(), &u) {
		*v = time.Unix(0, int64(u)).UTC()
	}
}

// Text is a string.
func (c *Coder) Text(num Num, v *string) { c.String(num, *v != "", v) }

// Texts are strings, at most limit of them. Empty ones are kept.
func (c *Coder) Texts(num Num, limit int, v *[]string) {
	if c.writing {
		for i := range *v {
			c.String(num, true, &(*v)[i])
		}
		return
	}
	for c.at(num, bytesType) {
		*v = append(*v, string(c.take().b))
		c.limit(len(*v), limit)
	}
}

// Bytes writes bytes, also if there are none, or reads a copy of them.
func (c *Coder) Bytes(num Num, v *[]byte) {
	if c.Raw(num, true, v) {
		*v = bytes.Clone(*v)
	}
}

// Array writes the bytes of an array if set, or reads as many. It reports whether it has read them.
func (c *Coder) Array(num Num, set bool, v []byte) bool {
	b := v
	if !c.Raw(num, set, &b) {
		return false
	}
	if len(b) != len(v) {
		c.Fail(fmt.Errorf("%d bytes, expected %d", len(b), len(v)))
		return false
	}
	copy(v, b)
	return true
}

// ZigZags are numbers of either sign, at most limit of them.
func (c *Coder) ZigZags(num Num, limit int, v *[]int64) {
	var packed []byte
	if c.writing {
		for _, n := range *v {
			packed = protowire.AppendVarint(packed, protowire.EncodeZigZag(n))
		}
	}
	if !c.Raw(num, len(*v) > 0, &packed) {
		return
	}

	var list []int64
	for len(packed) > 0 && c.err == nil {
		u, n := protowire.ConsumeVarint(packed)
		if n < 0 {
			c.Fail(protowire.ParseError(n))
			return
		}
		list, packed = append(list, protowire.DecodeZigZag(u)), packed[n:]
		c.limit(len(list), limit)
	}
	*v = list
}

// limit fails if there are more than limit elements.
func (c *Coder) limit(n, limit int) {
	if n > limit {
		c.Fail(fmt.Errorf("more than %d elements", limit))
	}
}
