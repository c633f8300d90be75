package wire_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/tstore/tstore/catalog/internal/wire"
)

// all has a field of each kind.
type all struct {
	u        uint64
	small    uint32
	count    int64
	signed   int64
	fixed    int64
	yes      bool
	when     time.Time
	text     string
	texts    []string
	data     []byte
	array    [4]byte
	axes     []int64
	inner    *all
	list     []pair
	required uint64
}

type pair struct{ first, second uint64 }

func (p *pair) fields(c *wire.Coder) {
	c.Uint(1, &p.first)
	c.Uint(2, &p.second)
}

func (a *all) fields(c *wire.Coder) {
	c.Uint(1, &a.u)
	c.Uint32(2, &a.small)
	c.Count(3, &a.count)
	c.Int(4, &a.signed)
	c.FixedInt(5, &a.fixed)
	c.Bool(6, &a.yes)
	c.Time(7, &a.when)
	c.Text(8, &a.text)
	c.Texts(9, 3, &a.texts)
	c.Bytes(10, &a.data)
	c.Array(11, true, a.array[:])
	c.ZigZags(12, 3, &a.axes)
	wire.List(c, 13, 3, &a.list, (*pair).fields)
	if a.inner != nil || c.Num() == 14 {
		inner := a.inner
		if inner == nil {
			inner = new(all)
		}
		wire.Message(c, 14, true, inner, (*all).fields)
		a.inner = inner
	}
	c.Varint(15, true, &a.required)
}

func sample() all {
	inner := all{u: 1 << 63, small: 1<<32 - 1, count: 1<<63 - 1, signed: -1, fixed: -1 << 63, data: []byte{}}
	return all{
		u: 3, small: 4, count: 5, signed: 6, fixed: 7, yes: true, when: time.Unix(8, 9).UTC(), text: "ten", texts: []string{"", "b", ""},
		data: []byte("data"), array: [4]byte{1, 2, 3, 4}, axes: []int64{-1, 0, 1 << 40}, list: []pair{{1, 0}, {}, {0, 2}}, inner: &inner,
	}
}

func decode(message []byte) (a all, err error) {
	err = wire.Decode(message, &a, (*all).fields)
	return a, err
}

func TestRoundTrip(t *testing.T) {
	for name, a := range map[string]all{"sample": sample(), "zero": {data: []byte{}}} {
		back, err := decode(wire.Encode(&a, (*all).fields))
		if diff := cmp.Diff(a, back, cmp.AllowUnexported(all{}, pair{})); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

// TestAnyOrder reads messages whose fields are in another order, with some between them that nobody
// knows.
func TestAnyOrder(t *testing.T) {
	a := sample()
	var parts [][]byte
	for b := wire.Encode(&a, (*all).fields); len(b) > 0; {
		_, _, n := protowire.ConsumeField(b)
		parts, b = append(parts, b[:n]), b[n:]
	}
	var message []byte
	for i := range parts {
		message = append(message, parts[len(parts)-1-i]...)
		message = protowire.AppendVarint(protowire.AppendTag(message, 99, protowire.VarintType), 1)
		message = protowire.AppendFixed32(protowire.AppendTag(message, 1, protowire.Fixed32Type), 1)
	}

	a.texts, a.list = []string{"", "b", ""}, []pair{{0, 2}, {}, {1, 0}}
	back, err := decode(message)
	if diff := cmp.Diff(a, back, cmp.AllowUnexported(all{}, pair{})); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestBadMessages(t *testing.T) {
	number := func(num protowire.Number, u uint64) []byte {
		return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), u)
	}
	field := func(num protowire.Number, b ...byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), b)
	}
	for name, test := range map[string]struct {
		message []byte
		want    string
	}{
		"cut":               {[]byte{8}, "unexpected EOF"},
		"cut behind a list": {append(field(13), 8), "unexpected EOF"},
		"tag":               {[]byte{0}, "invalid field number"},
		"small":             {number(2, 1<<32), "field 2: number 4294967296 is out of range"},
		"count":             {number(3, 1<<63), "field 3: number 9223372036854775808 is out of range"},
		"array":             {field(11, 1, 2, 3), "field 11: 3 bytes, expected 4"},
		"texts":             {bytes.Repeat(field(9), 4), "field 9: more than 3 elements"},
		"axes":              {field(12, 0, 0, 0, 0), "field 12: more than 3 elements"},
		"cut axes":          {field(12, 128), "field 12: unexpected EOF"},
		"list":              {bytes.Repeat(field(13), 4), "field 13: more than 3 elements"},
		"in a list":         {field(13, 8), "field 13: unexpected EOF"},
		"in a message":      {field(14, number(2, 1<<32)...), "field 14: field 2: number 4294967296 is out of range"},
	} {
		if _, err := decode(test.message); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	a := sample()
	f.Add(wire.Encode(&a, (*all).fields))
	f.Fuzz(func(t *testing.T, message []byte) {
		a, err := decode(message)
		if err != nil {
			return
		}
		encoded := wire.Encode(&a, (*all).fields)
		back, err := decode(encoded)
		if err != nil {
			t.Fatalf("%+v does not decode again: %v", a, err)
		}
		if again := wire.Encode(&back, (*all).fields); !bytes.Equal(again, encoded) {
			t.Fatalf("%+v became %+v", a, back)
		}
	})
}

// FuzzSealed checks that any change of a sealed value, or of where it stands, is found.
func FuzzSealed(f *testing.F) {
	f.Add([]byte("key"), []byte("message"), 3, byte(1))
	f.Fuzz(func(t *testing.T, key, message []byte, at int, flip byte) {
		value := wire.Seal(wire.Version, "names", key, message)
		got, err := wire.Unseal(wire.Version, "names", key, value)
		if err != nil || !bytes.Equal(got, message) {
			t.Fatalf("%q, %v", got, err)
		}
		if _, err := wire.Unseal(wire.Version, "refs", key, value); err == nil {
			t.Fatal("a value was taken over from another bucket")
		}
		if flip == 0 {
			return
		}
		value[uint(at)%uint(len(value))] ^= flip
		if _, err := wire.Unseal(wire.Version, "names", key, value); err == nil {
			t.Fatal("a changed value was accepted")
		}
	})
}
