package raw_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/interchange/raw"
)

// TestRows reads streams to their end, in pieces of whole rows.
func TestRows(t *testing.T) {
	for name, tt := range map[string]struct {
		o     raw.Options
		bytes int
		limit int64
		rows  []int
		err   string
	}{
		"all at once":     {raw.Options{DType: dtype.Uint8, Shape: []int{-1, 2}}, 6, 100, []int{3}, ""},
		"two at a time":   {raw.Options{DType: dtype.Uint8, Shape: []int{-1, 2}}, 6, 2, []int{2, 1}, ""},
		"behind a header": {raw.Options{DType: dtype.Uint8, Offset: 4}, 6, 100, []int{2}, ""},
		"none":            {raw.Options{DType: dtype.Uint8}, 0, 1, nil, ""},
		"long rows":       {raw.Options{DType: dtype.Uint8, Shape: []int{-1, 3 << 19}}, 3 << 20, 5, []int{1, 1}, ""},
		"half a row":      {raw.Options{DType: dtype.Int16}, 5, 100, nil, "ends with 1 bytes that are no whole row of 2"},
		"a cut row":       {raw.Options{DType: dtype.Int16, AllowTrailing: true}, 5, 100, []int{2}, ""},
		"only half a row": {raw.Options{DType: dtype.Int64, AllowTrailing: true}, 5, 100, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			want := counting(tt.bytes)
			rows, err := raw.NewRows(iotest.HalfReader(bytes.NewReader(want)), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			var lengths []int
			for {
				src, err := rows.NextRows(tt.limit)
				if err == io.EOF {
					break
				}
				if err != nil {
					if tt.err == "" || !strings.Contains(err.Error(), tt.err) {
						t.Errorf("got %v, want %q", err, tt.err)
					}
					return
				}
				b, err := io.ReadAll(src.Data)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, b...)
				lengths = append(lengths, src.Shape[0])
			}
			if diff := cmp.Diff(tt.rows, lengths); diff != "" || tt.err != "" {
				t.Errorf("rows, want error %q\n%s", tt.err, diff)
			}
			if !bytes.HasPrefix(want[tt.o.Offset:], got) {
				t.Errorf("%d other bytes than those that came", len(got))
			}
		})
	}
}

// TestRowsErrors: what ends a stream is told, and not taken for its end.
func TestRowsErrors(t *testing.T) {
	broken := errors.New("broken")
	rows, err := raw.NewRows(io.MultiReader(bytes.NewReader(counting(3)), iotest.ErrReader(broken)), raw.Options{DType: dtype.Uint8})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rows.Next(); !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the stream", err)
	}
	for _, o := range []raw.Options{{}, {DType: dtype.Int8, Shape: []int{}}, {DType: dtype.Int8, Shape: []int{-1, 0}}, {DType: dtype.Int8, Shape: []int{-1, -1}}, {DType: dtype.Int8, Offset: 9}, {DType: dtype.Int8, Offset: -1}, {DType: dtype.Int8, Shape: []int{-1, 2}, Order: 1}} {
		if _, err := raw.NewRows(bytes.NewReader(nil), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}
