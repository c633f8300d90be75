package npyheader_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/npyheader"
)

// golden is a header and what NumPy says of it; testdata/golden.py writes them.
type golden struct {
	Version byte
	Text    string // of numpy_load.json, without magic and length
	Header  string // of numpy_save.json, in hex
	Descr   string
	Fortran bool
	Shape   []int
	Error   string
}

func readGolden(t *testing.T, name string) []golden {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var cases []golden
	if err := json.Unmarshal(b, &cases); err != nil || len(cases) == 0 {
		t.Fatalf("%s: %d cases, %v", name, len(cases), err)
	}
	return cases
}

func TestEncodeAsNumPy(t *testing.T) {
	for _, c := range readGolden(t, "numpy_save.json") {
		want, err := hex.DecodeString(c.Header)
		if err != nil {
			t.Fatal(err)
		}
		typ, swapped, err := dtype.ParseDescr(c.Descr)
		if err != nil {
			t.Fatal(err)
		}
		h := npyheader.Header{DType: typ, Swapped: swapped, Fortran: c.Fortran, Shape: c.Shape}
		got, err := npyheader.Encode(h, 0)
		if err != nil {
			t.Errorf("%s %v: %v", c.Descr, c.Shape, err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

func TestReadWhatNumPySaves(t *testing.T) {
	for _, c := range readGolden(t, "numpy_save.json") {
		b, err := hex.DecodeString(c.Header)
		if err != nil {
			t.Fatal(err)
		}
		h, err := npyheader.Read(bytes.NewReader(b))
		if err != nil {
			t.Errorf("%q: %v", b, err)
		}
		checkGolden(t, string(b), h, c)
		if h.DataOffset != int64(len(b)) || h.Major != 1 || h.Minor != 0 {
			t.Errorf("%q: data at %d, version %d.%d", b, h.DataOffset, h.Major, h.Minor)
		}
	}
}

// stricter lists the headers that NumPy reads and this package does not.
var stricter = map[string]string{
	`{'descr':'<f\x34','fortran_order':False,'shape':(3,)}`: "escapes in a dtype are resolved by nobody who writes one",
}

func TestReadAsNumPy(t *testing.T) {
	for _, c := range readGolden(t, "numpy_load.json") {
		h, err := npyheader.Read(bytes.NewReader(withPrefix(c.Version, c.Text)))
		refused := c.Error != "" || stricter[c.Text] != ""
		if refused != (err != nil) {
			t.Errorf("version %d %q: error %v, NumPy's %q", c.Version, c.Text, err, c.Error)
		}
		if !refused && err == nil {
			checkGolden(t, c.Text, h, c)
		}
	}
}

func checkGolden(t *testing.T, text string, h npyheader.Header, c golden) {
	t.Helper()
	typ, swapped, err := dtype.ParseDescr(c.Descr)
	if err != nil && (h.DType.Valid() || h.PayloadBytes() == 0) {
		t.Errorf("%q: dtype %v for NumPy's %q", text, h.DType, c.Descr)
	}
	if h.DType != typ || h.Swapped != swapped || h.Fortran != c.Fortran {
		t.Errorf("%q: dtype %v, swapped %v, fortran %v", text, h.DType, h.Swapped, h.Fortran)
	}
	if diff := cmp.Diff(c.Shape, h.Shape); diff != "" {
		t.Errorf("%q: shape differs (-want +got):\n%s", text, diff)
	}
}
