package wire

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// Num is the number of a field.
type Num = protowire.Number

const (
	varintType = protowire.VarintType
	fixedType  = protowire.Fixed64Type
	bytesType  = protowire.BytesType
)

// Coder goes through the fields of one message, to write them or to read them. Use [Encode] and
// [Decode].
type Coder struct {
	writing bool
	b       []byte // written so far; or what follows the field at hand
	field   field  // at hand, when reading; the zero field at the end and after an error
	last    Num    // of the field that was read last
	moved   bool   // a field was read since the list was begun
	err     error
}

// field is one field of a message: u holds numbers, b holds bytes.
type field struct {
	num Num
	typ protowire.Type
	u   uint64
	b   []byte
}

// Encode returns the message of v.
func Encode[T any](v *T, fields func(*T, *Coder)) []byte {
	c := Coder{writing: true, b: make([]byte, 0, 128)}
	fields(v, &c)
	return c.b
}

// Decode reads a message, which may hold anything, into v. An error begins with the number of the
// field.
func Decode[T any](message []byte, v *T, fields func(*T, *Coder)) error {
	c := reader(message)
	for c.more() {
		fields(v, &c)
	}
	return c.err
}

func reader(message []byte) Coder {
	c := Coder{b: message, moved: true}
	c.next()
	return c
}

// Writing reports whether fields are written.
func (c *Coder) Writing() bool { return c.writing }

// Num returns the number of the field that is read next, 0 if there is none.
func (c *Coder) Num() Num { return c.field.num }

// Fail ends decoding with an error about the field that was read last.
func (c *Coder) Fail(err error) {
	if c.err == nil {
		c.err = fmt.Errorf("field %d: %w", c.last, err)
	}
	c.field = field{}
}

// more reports whether the list is to be gone through once more. If nothing was read the last time,
// the field at hand is unknown and is skipped.
func (c *Coder) more() bool {
	if !c.moved {
		c.next()
	}
	c.moved = false
	return c.field.num != 0
}

// at reports whether the field at hand has this number and type.
func (c *Coder) at(num Num, typ protowire.Type) bool {
	return c.field.num == num && c.field.typ == typ
}

// take returns the field at hand and goes on to the next.
func (c *Coder) take() field {
	f := c.field
	c.last, c.moved = f.num, true
	c.next()
	return f
}

// next reads the next field.
func (c *Coder) next() {
	c.field = field{}
	if len(c.b) == 0 || c.err != nil {
		return
	}

	f, n := consumeField(c.b)
	if n < 0 {
		c.err = protowire.ParseError(n)
		return
	}
	c.field, c.b = f, c.b[n:]
}

// consumeField reads one field and returns its length, negative for an error that
// protowire.ParseError knows.
func consumeField(b []byte) (field, int) {
	num, typ, n := protowire.ConsumeTag(b)
	if n < 0 {
		return field{}, n
	}

	f, m := field{num: num, typ: typ}, 0
	switch typ {
	case varintType:
		f.u, m = protowire.ConsumeVarint(b[n:])
	case fixedType:
		f.u, m = protowire.ConsumeFixed64(b[n:])
	case bytesType:
		f.b, m = protowire.ConsumeBytes(b[n:])
	default:
		m = protowire.ConsumeFieldValue(num, typ, b[n:])
	}
	if m < 0 {
		return field{}, m
	}
	return f, n + m
}
