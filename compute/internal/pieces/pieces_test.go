package pieces_test

import (
	"bytes"
	"errors"
	"iter"
	"sync"
	"testing"
	"unsafe"

	"github.com/tstore/tstore/compute/internal/pieces"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/view"
)

// counted returns the numbers from 0 on.
func counted(n int) []int32 {
	x := make([]int32, n)
	for i := range x {
		x[i] = int32(i)
	}
	return x
}

// TestFetch reads pieces of packed and of strided elements.
func TestFetch(t *testing.T) {
	x, err := view.FromSlice(counted(60), 6, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	for _, test := range []struct {
		text    string
		inPlace bool
		want    []int32 // elements 1 to 3
	}{
		{"...", true, []int32{1, 2, 3}},
		{"2:4", true, []int32{21, 22, 23}},
		{":, ::3", false, []int32{3, 6, 9}},
		{":, ::-1", false, []int32{8, 7, 6}},
	} {
		t.Run(test.text, func(t *testing.T) {
			part, err := x.Slice(test.text)
			if err != nil {
				t.Fatal(err)
			}
			o, err := pieces.Open(part)
			if err != nil {
				t.Fatal(err)
			}
			b, err := o.Fetch(o.Buffer(3), 1, 3)
			if err != nil || !bytes.Equal(b, pieces.Bytes(test.want)) {
				t.Errorf("got %v, error %v; want %v", pieces.As[int32](b), err, test.want)
			}
			if o.InPlace() != test.inPlace {
				t.Errorf("in place: %t", o.InPlace())
			}
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// sequenceOf yields x in blocks of some elements, and then an error if there is one.
func sequenceOf(x []int32, each int, end error) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for ; len(x) > 0; x = x[min(each, len(x)):] {
			if !yield(pieces.Bytes(x[:min(each, len(x))]), nil) {
				return
			}
		}
		if end != nil {
			yield(nil, end)
		}
	}
}

// TestSequence fetches the chunks of a sequence by two goroutines, of which one is ahead.
func TestSequence(t *testing.T) {
	n := 5*pieces.ChunkElems + 7
	x := counted(n)
	o := pieces.OpenSequence(dtype.Int32, n, sequenceOf(x, 1000, nil))
	defer o.Close()
	var group sync.WaitGroup
	for worker := range 2 {
		group.Go(func() {
			for chunk := 5 - worker; chunk >= 0; chunk -= 2 {
				first := chunk * pieces.ChunkElems
				some := min(pieces.ChunkElems, n-first)
				b, err := o.Fetch(o.Buffer(pieces.ChunkElems), first, some)
				if err != nil || !bytes.Equal(b, pieces.Bytes(x[first:first+some])) {
					t.Errorf("chunk %d has other elements, or error %v", chunk, err)
				}
			}
		})
	}
	group.Wait()
}

// TestSequenceEnds checks the error of a sequence that breaks off.
func TestSequenceEnds(t *testing.T) {
	broken := errors.New("broken")
	o := pieces.OpenSequence(dtype.Int32, 50, sequenceOf(counted(20), 7, broken))
	defer o.Close()
	if _, err := o.Fetch(o.Buffer(50), 0, 50); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

// TestConvert converts more elements than one call of a kernel takes.
func TestConvert(t *testing.T) {
	x := counted(100_003)
	made := make([]float64, len(x))
	pieces.Convert(dtype.Float64, dtype.Int32, unsafe.Pointer(&made[0]), unsafe.Pointer(&x[0]), len(x))
	for i, v := range made {
		if v != float64(i) {
			t.Fatalf("element %d is %v", i, v)
		}
	}
}
