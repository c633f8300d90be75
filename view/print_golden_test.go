package view_test

import (
	"encoding/hex"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

func TestFprintAsNumPy(t *testing.T) {
	lines := goldenLines(t, "print_golden.txt", 5)
	if len(lines) < 300 {
		t.Errorf("only %d cases", len(lines))
	}
	for _, line := range lines {
		want, err := strconv.Unquote(line[4])
		if err != nil {
			t.Fatal(err)
		}
		tensor := repeatedTensor(t, line[0], parseInts(t, line[1]), line[3])
		var got strings.Builder
		if err := view.Fprint(&got, tensor, parsePrintOptions(t, line[2])); err != nil {
			t.Errorf("%v: %v", line[:4], err)
			continue
		}
		if diff := cmp.Diff(want, got.String()); diff != "" {
			t.Errorf("%.200v (-want +got):\n%s", line[:4], diff)
		}
	}
}

// repeatedTensor returns a tensor filled with the elements in hexText, again and again.
func repeatedTensor(t *testing.T, typeName string, shape []int, hexText string) *view.Tensor {
	t.Helper()
	dt, err := dtype.Parse(typeName)
	if err != nil {
		t.Fatal(err)
	}
	pattern, err := hex.DecodeString(hexText)
	if err != nil {
		t.Fatal(err)
	}
	l, err := view.NewLayout(shape...)
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, l.NumElems()*dt.Size())
	for i := range b {
		b[i] = pattern[i%len(pattern)]
	}
	return newTensor(t, mmapstore.FromBytes(b), dt, l)
}

// newTensor returns a tensor that is closed, with its storage, when the test ends.
func newTensor(t testing.TB, st *mmapstore.Storage, dt dtype.Type, l view.Layout) *view.Tensor {
	t.Helper()
	tensor, err := view.NewTensor(st, dt, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tensor.Close(); err != nil {
			t.Error(err)
		}
		if err := st.Release(); err != nil {
			t.Error(err)
		}
	})
	return tensor
}

// parsePrintOptions reads "precision=3 suppress=1".
func parsePrintOptions(t *testing.T, text string) *view.PrintOptions {
	t.Helper()
	o := &view.PrintOptions{}
	for field := range strings.FieldsSeq(text) {
		name, value, _ := strings.Cut(field, "=")
		v, err := strconv.Atoi(value)
		if err != nil {
			t.Fatal(err)
		}
		if v == 0 {
			v = -1
		}
		switch name {
		case "precision":
			o.Precision = v
		case "threshold":
			o.Threshold = v
		case "edgeitems":
			o.EdgeItems = v
		case "linewidth":
			o.LineWidth = v
		case "suppress":
			o.Suppress = v == 1
		default:
			t.Fatalf("unknown option %q", name)
		}
	}
	return o
}
