package catalog

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tstore/tstore/catalog/internal/wire"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/sentinel"
)

// encodeRecord returns the message of a record. The name is not in it: it is the key.
func encodeRecord(r *Record) []byte { return wire.Encode(r, (*Record).fields) }

// decodeRecord reads a message that may hold anything, and returns only valid records.
func decodeRecord(name string, message []byte) (Record, error) {
	r := Record{Name: name}
	if err := wire.Decode(message, &r, (*Record).fields); err != nil {
		return Record{}, err
	}
	return r, r.check()
}

func (r *Record) fields(c *wire.Coder) {
	codeKind(c, 1, &r.Kind, numKinds, "record kind")
	c.Array(2, r.Kind == KindTensor, r.Storage[:])
	codeDType(c, 3, &r.DType)
	c.ZigZags(4, MaxRank, &r.Shape)
	c.ZigZags(5, MaxRank, &r.Strides)
	c.Count(6, &r.Offset)
	c.Texts(7, MaxRank, &r.Dims)
	r.attrFields(c)
	c.Uint(9, &r.Version)
	c.Text(10, &r.Parent)
	c.Time(11, &r.Created)
	c.Time(12, &r.Modified)
	wire.Message(c, 13, r.Kind == KindBlob, &r.Blob, (*Value).fields)
	wire.Message(c, 14, !r.Formula.IsZero(), &r.Formula, (*Formula).fields)
}

// attr is a name with its value.
type attr struct {
	name  string
	value Value
}

func (a *attr) fields(c *wire.Coder) {
	c.Text(1, &a.name)
	wire.Message(c, 2, true, &a.value, (*Value).fields)
}

// attrFields codes the attributes, in the order of their names.
func (r *Record) attrFields(c *wire.Coder) {
	var list []attr
	if c.Writing() {
		for _, name := range slices.Sorted(maps.Keys(r.Attrs)) {
			list = append(list, attr{name, r.Attrs[name]})
		}
	}
	wire.List(c, 8, MaxAttrs, &list, (*attr).fields)
	if c.Writing() || len(list) == 0 {
		return
	}

	if r.Attrs == nil {
		r.Attrs = map[string]Value{}
	}
	for _, a := range list {
		r.Attrs[a.name] = a.value
	}
}

// fields has one field, whose number tells the kind.
func (v *Value) fields(c *wire.Coder) {
	if v.kind == ValueNone && c.Num() > wire.Num(ValueJSON) {
		c.Fail(sentinel.NewerKind("value kind", c.Num(), FormatVersion))
	}

	for _, k := range [...]ValueKind{ValueString, ValueBytes, ValueJSON} {
		if text := v.text; c.String(wire.Num(k), v.kind == k, &text) {
			*v = Value{kind: k, text: text}
		}
	}

	if u := protowire.EncodeZigZag(int64(v.num)); c.Varint(wire.Num(ValueInt), v.kind == ValueInt, &u) {
		*v = IntValue(protowire.DecodeZigZag(u))
	}

	if u := v.num; c.Fixed(wire.Num(ValueFloat), v.kind == ValueFloat, &u) {
		*v = FloatValue(math.Float64frombits(u))
	}

	if u := v.num; c.Varint(wire.Num(ValueBool), v.kind == ValueBool, &u) {
		*v = BoolValue(u != 0)
	}
}

// codeKind codes a number of which newer programs may know more.
func codeKind[T ~uint8](c *wire.Coder, num wire.Num, v *T, known T, what string) {
	u := uint64(*v)
	if !c.Varint(num, u != 0, &u) {
		return
	}
	if u >= uint64(known) {
		c.Fail(sentinel.NewerKind(what, u, FormatVersion))
		return
	}
	*v = T(u)
}

// dtypes maps the names written in messages to types. Only the canonical spelling is accepted.
var dtypes = func() map[string]dtype.Type {
	m := map[string]dtype.Type{}
	for _, t := range dtype.All() {
		m[t.String()] = t
	}
	return m
}()

// codeDType codes a type as its name. Invalid is left out.
func codeDType(c *wire.Coder, num wire.Num, v *dtype.Type) {
	var name []byte
	if c.Writing() && v.Valid() {
		name = []byte(v.String())
	}
	if !c.Raw(num, v.Valid(), &name) {
		return
	}
	t, known := dtypes[string(name)]
	if !known {
		c.Fail(sentinel.NewerKind("dtype", fmt.Sprintf("%.20q", name), FormatVersion))
		return
	}
	*v = t
}
