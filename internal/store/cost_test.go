package store_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

const (
	testHeaderBytes = 4096
	testRowBytes    = 512 * 8
)

// TestChangeCost holds the cost against what Fill then does to the file.
func TestChangeCost(t *testing.T) {
	const rows = 600
	whole := int64(testHeaderBytes + rows*testRowBytes)
	tests := map[string]tstore.Cost{
		"x[7, 3]":      {Written: 8},
		"x[2:4, :2]":   {Written: testRowBytes + 16},
		"x[:0]":        {},
		"x[:, 3]":      {Written: rows * 8},
		"x[:256]":      {Written: 256 * testRowBytes},
		"x[:257]":      {Written: whole, Freed: whole},
		"x[::-1, ::2]": {Written: whole, Freed: whole},
	}
	for sel, want := range tests {
		t.Run(sel, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", storetest.Source(t, 0, rows, 512))
			info := storetest.Stat(t, s, sel)
			if diff := cmp.Diff(want, info.ChangeCost()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if err := s.Fill(t.Context(), sel, storetest.Scalar(t, 1)); err != nil {
				t.Fatal(err)
			}
			if replaced := storetest.Stat(t, s, "x").Storage.Gen != info.Storage.Gen; replaced != (want.Freed > 0) {
				t.Errorf("the file was replaced: %v, though %d bytes were to be freed", replaced, want.Freed)
			}
		})
	}
}

// TestResizeCost holds the cost against what Resize then does to the file.
func TestResizeCost(t *testing.T) {
	const rows = 10
	tests := map[string]struct {
		shape  []int
		shared bool
		want   tstore.Cost
	}{
		"same":           {shape: []int{rows, 512}},
		"fewer rows":     {shape: []int{3, 512}},
		"more rows":      {shape: []int{12, 512}, want: tstore.Cost{Written: 2 * testRowBytes}},
		"more columns":   {shape: []int{rows, 1024}, want: tstore.Cost{Written: testHeaderBytes + rows*2*testRowBytes, Freed: testHeaderBytes + rows*testRowBytes}},
		"fewer columns":  {shape: []int{rows, 1}, want: tstore.Cost{Written: testHeaderBytes + rows*8, Freed: testHeaderBytes + rows*testRowBytes}},
		"shared storage": {shape: []int{rows, 1}, shared: true, want: tstore.Cost{Written: testHeaderBytes + rows*8}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := storetest.NewStore(t)
			storetest.Create(t, s, "x", storetest.Source(t, 0, rows, 512))
			if test.shared {
				if err := s.View(t.Context(), "row", "x[0]"); err != nil {
					t.Fatal(err)
				}
			}
			info := storetest.Stat(t, s, "x")
			got, err := info.ResizeCost(test.shape...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if err := s.Resize(t.Context(), "x", test.shape...); err != nil {
				t.Fatal(err)
			}
			_, err = os.Stat(s.Dir() + "/" + info.Storage.File())
			if gone := os.IsNotExist(err); gone != (test.want.Freed > 0) {
				t.Errorf("the old file is gone: %v (%v), though %d bytes were to be freed", gone, err, test.want.Freed)
			}
		})
	}
}

func TestResizeCostErrors(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.Create(t, s, "x", storetest.Source(t, 0, 2, 3))
	info := storetest.Stat(t, s, "x")
	for name, shape := range map[string][]int{"rank": {6}, "negative": {-1, 3}, "overflow": {1 << 62, 1 << 62}} {
		if c, err := info.ResizeCost(shape...); err == nil {
			t.Errorf("%s: cost %v, want an error", name, c)
		}
	}
}
