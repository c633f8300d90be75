package tstore_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/dtype"
	"github.com/tstore/tstore/internal/storetest"
)

func TestCreateAndGet(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "group/x", storetest.Source(t, 0, 3, 4))
	storetest.WantValues(t, s, "group/x", storetest.UpTo(12)...)
	storetest.WantValues(t, s, "group/x[1:, ::-2]", 7, 5, 11, 9)

	x, err := s.Get(t.Context(), "group/x[:, 1]")
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if diff := cmp.Diff([]int{3}, x.Shape()); diff != "" {
		t.Error(diff)
	}
	if x.Info.Version() != 1 || x.Info.Record.DType != dtype.Float64 {
		t.Errorf("version %d, dtype %v", x.Info.Version(), x.Info.Record.DType)
	}
}

func TestCreateErrors(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 4))
	tests := []struct {
		name string
		src  tstore.Source
		want error
	}{
		{"x", storetest.Source(t, 0, 4), tstore.ErrExists},
		{"../x", storetest.Source(t, 0, 4), nil},
		{"", storetest.Source(t, 0, 4), nil},
		{"a\x00b", storetest.Source(t, 0, 4), nil},
		{"y", tstore.Source{Spec: tstore.Spec{Shape: []int{1}}}, nil},
		{"y", tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{-1}}}, nil},
		{"y", tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{1 << 62, 4}}}, nil},
		{"y", tstore.Source{Spec: tstore.Spec{DType: dtype.Complex128, Shape: []int{1 << 60}}}, nil},
		{"y", tstore.Source{Spec: tstore.Spec{DType: dtype.Int8, Shape: []int{2}, Dims: []string{"a", "b"}}}, nil},
		{"y", tstore.FromBytes(tstore.Spec{DType: dtype.Int8, Shape: []int{3}}, []byte{1, 2}), nil},
		{"y", tstore.FromBytes(tstore.Spec{DType: dtype.Int8, Shape: []int{1}}, []byte{1, 2}), nil},
		{"y", tstore.FromBytes(tstore.Spec{DType: dtype.Int8, Shape: []int{1 << 17}}, make([]byte, 1<<17-1)), nil},
		{"y", tstore.FromBytes(tstore.Spec{DType: dtype.Int8, Shape: []int{1 << 17}}, make([]byte, 1<<17+1)), nil},
	}
	for i, tt := range tests {
		err := s.Create(t.Context(), tt.name, tt.src)
		if err == nil || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("case %d: got %v, want %v", i, err, tt.want)
		}
	}
	if _, err := s.Stat(t.Context(), "y"); !errors.Is(err, tstore.ErrNotFound) {
		t.Errorf("a failed create left something: %v", err)
	}
	if found := storetest.Problems(t, s.Dir()); len(found) > 0 {
		t.Errorf("failed creates left %+v", found)
	}
}

func TestEveryDType(t *testing.T) {
	s := storetest.NewStore(t)
	for _, dt := range dtype.All() {
		for _, order := range []tstore.Order{tstore.RowMajor, tstore.ColumnMajor} {
			name := fmt.Sprintf("%v/%d", dt, order)
			b := make([]byte, 6*dt.Size())
			for i := range 6 {
				one, err := dtype.ParseScalar(dt, fmt.Sprint(i%2))
				if err != nil {
					t.Fatal(err)
				}
				one.Store(b[i*dt.Size():])
			}
			storetest.Create(t, s, name, tstore.FromBytes(tstore.Spec{DType: dt, Shape: []int{2, 3}, Order: order}, b))
			want := []float64{0, 1, 0, 1, 0, 1}
			if order == tstore.ColumnMajor {
				want = []float64{0, 0, 0, 1, 1, 1}
			}
			storetest.WantValues(t, s, name, want...)
		}
	}
}

func TestEmptyAndScalar(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "empty", storetest.Source(t, 0, 3, 0, 2))
	storetest.Create(t, s, "scalar", storetest.Source(t, 7))
	storetest.WantValues(t, s, "empty")
	storetest.WantValues(t, s, "scalar", 7)
	storetest.WantValues(t, s, "scalar[...]", 7)
}
