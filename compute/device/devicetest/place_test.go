package devicetest_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/tstore/tstore/compute/device/devicetest"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/mmapstore"
	"github.com/tstore/tstore/view"
)

// tensorOn returns a tensor over memory of an allocator, with elements in C order.
func tensorOn(t testing.TB, a mmapstore.Allocator, dt dtype.Type, shape ...int) *view.Tensor {
	t.Helper()
	l, err := view.NewLayout(shape...)
	if err != nil {
		t.Fatal(err)
	}
	st, err := mmapstore.WithAllocator(a, int64(l.NumElems()*dt.Size()))
	if err != nil {
		t.Fatal(err)
	}
	x, err := view.NewTensor(st, dt, l)
	if err := errors.Join(err, st.Release()); err != nil {
		t.Fatal(err)
	}
	return x
}

// usageOf returns what mmapstore counts on a device.
func usageOf(place mmapstore.Place) mmapstore.Usage {
	for _, u := range mmapstore.Stats() {
		if u.Place == place {
			return u
		}
	}
	return mmapstore.Usage{}
}

// A tensor goes to a device, is sliced and transposed there, goes on to another device and comes
// back; references, counts and closing work as in host memory.
func TestTensors(t *testing.T) {
	first, second := devicetest.New(&devicetest.Options{Place: mmapstore.GPU(6)}), devicetest.New(&devicetest.Options{Place: mmapstore.GPU(7)})
	before := usageOf(first.Place()).TotalBlocks
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]float32, 60*70)
	for i := range data {
		data[i] = rng.Float32()
	}
	host, err := view.FromSlice(data, 60, 70)
	if err != nil {
		t.Fatal(err)
	}
	a, b := tensorOn(t, first, dtype.Float32, 60, 70), tensorOn(t, second, dtype.Float64, 70, 30)
	if err := view.Copy(t.Context(), a, host); err != nil {
		t.Fatal(err)
	}
	part, err := a.Slice("::-2")
	if err != nil {
		t.Fatal(err)
	}
	if err := view.Copy(t.Context(), b, part.Transpose()); err != nil {
		t.Fatal(err)
	}
	array, err := view.As[float64](b)
	if err != nil {
		t.Fatal(err)
	}
	back := make([]float64, array.NumElems())
	if err := array.CopyTo(back); err != nil {
		t.Fatal(err)
	}
	for i, v := range back {
		if want := float64(data[(59-2*(i%30))*70+i/30]); v != want {
			t.Fatalf("element %d is %v, want %v", i, v, want)
		}
	}

	// A reference to one element.
	ref, err := array.Ref(3, 4)
	if err != nil {
		t.Fatal(err)
	}
	if err := ref.Set(11); err != nil {
		t.Fatal(err)
	}
	if v, err := ref.Get(); v != 11 || err != nil {
		t.Errorf("got %v, %v", v, err)
	}

	// What is in use, and what is left.
	if u := usageOf(first.Place()); u.Kind != mmapstore.KindDevice || u.Blocks != 1 || u.Bytes != 60*70*4 {
		t.Errorf("usage: %+v", u)
	}
	if err := errors.Join(a.Close(), b.Close()); err != nil {
		t.Error(err)
	}
	if u := usageOf(first.Place()); u.Blocks != 0 || u.Bytes != 0 || u.TotalBlocks != before+1 {
		t.Errorf("usage after Close: %+v", u)
	}
	if _, err := ref.Get(); !errors.Is(err, mmapstore.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if err := view.Copy(t.Context(), host, a); !errors.Is(err, mmapstore.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	if err := view.Copy(t.Context(), part, host); !errors.Is(err, mmapstore.ErrClosed) {
		t.Errorf("got %v, want ErrClosed", err)
	}
	for _, d := range []*devicetest.Device{first, second} {
		if m := d.Mistakes(); len(m) > 0 {
			t.Error(m)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Goroutines copy to rows and columns of one tensor at once, each to elements of its own.
func TestParallelCopies(t *testing.T) {
	d := devicetest.New(nil)
	x := tensorOn(t, d, dtype.Int16, 40, 30)
	var wg sync.WaitGroup
	for k := range 4 {
		wg.Go(func() {
			part, err := x.Slice(fmt.Sprintf(":, %d::4", k))
			if err == nil {
				err = view.Fill(t.Context(), part, dtype.ScalarOf(int16(k)))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()

	var want []byte
	for i := range 40 * 30 {
		want = append(want, byte(i%30%4), 0)
	}
	var got []byte
	err := x.Blocks(0, func(b []byte) error {
		got = append(got, slices.Clone(b)...)
		return nil
	})
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("other elements, %v", err)
	}
	if err := errors.Join(x.Close(), d.Close()); err != nil {
		t.Error(err)
	}
}
