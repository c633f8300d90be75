package check_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/storetest"
)

// TestVerifySelected verifies parts, views and groups.
func TestVerifySelected(t *testing.T) {
	s := storetest.NewDamagedStore(t)
	storetest.ImportAs(t, s, "g/x", 10*storetest.SumBlock/8)
	storetest.ImportAs(t, s, "g/h/y", 3*storetest.SumBlock/8)
	storetest.ImportAs(t, s, "z", 5*storetest.SumBlock/8)
	storetest.Create(t, s, "g/open", storetest.Source(t, 0, 20_000))
	if err := s.PutBlob(t.Context(), "g/note", catalog.IntValue(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.View(t.Context(), "v", "g/x[8192:8193]"); err != nil {
		t.Fatal(err)
	}
	if err := storetest.FlipByte(storetest.DataPath(t, s, "g/x"), storetest.FileHeader+2*storetest.SumBlock); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		selectors        []string
		blocks, storages int
		unsealed, damage int
	}{
		{nil, 18, 3, 1, 1},
		{[]string{"z"}, 5, 1, 0, 0},
		{[]string{"g"}, 13, 2, 1, 1},
		{[]string{"g/x"}, 10, 1, 0, 1},
		{[]string{"g/x[:100]"}, 1, 1, 0, 0},
		{[]string{"g/x[8191:8193]"}, 2, 1, 0, 0},
		{[]string{"g/x[20000]"}, 1, 1, 0, 1},
		{[]string{"g/x[:10]", "g/x[20:30]", "v", "g/x[70000:]"}, 4, 1, 0, 0},
		{[]string{"v", "z"}, 6, 2, 0, 0},
		{[]string{"g/x[3:3]"}, 0, 1, 0, 0},
		{[]string{"g/open"}, 0, 0, 1, 0},
	} {
		t.Run(strings.Join(tc.selectors, " "), func(t *testing.T) {
			var done, total int64
			r, err := s.Verify(t.Context(), &tstore.VerifyOptions{Selectors: tc.selectors, Progress: func(d, n int64) { done, total = d, n }})
			if err != nil {
				t.Fatal(err)
			}
			if r.Bytes != int64(tc.blocks)*storetest.SumBlock || r.Storages != tc.storages || len(r.Unsealed) != tc.unsealed || len(r.Damage) != tc.damage {
				t.Errorf("%d blocks of %d storages, %d unsealed, damage %+v; want %+v", r.Bytes/storetest.SumBlock, r.Storages, len(r.Unsealed), r.Damage, tc)
			}
			if done != r.Bytes && tc.damage == 0 || total != r.Bytes {
				t.Errorf("progress %d of %d, want %d", done, total, r.Bytes)
			}
		})
	}
}

// TestVerifyRate takes as long as the rate says.
func TestVerifyRate(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.ImportAs(t, s, "x", 3<<20/8)
	start := time.Now()
	if _, err := s.Verify(t.Context(), &tstore.VerifyOptions{Rate: 16 << 20}); err != nil {
		t.Fatal(err)
	}
	// The last MiB is not waited for.
	if took := time.Since(start); took < 120*time.Millisecond {
		t.Errorf("3 MiB at 16 MiB a second took %v", took)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Verify(ctx, &tstore.VerifyOptions{Rate: 1}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("at a byte a second: %v, want the context's error", err)
	}
}

// TestVerifyWhileAppending finds no damage in tensors that grow, are replaced and deleted
// meanwhile.
func TestVerifyWhileAppending(t *testing.T) {
	s := storetest.NewStore(t)
	storetest.ImportAs(t, s, "x", 66*storetest.SumBlock/8)
	ctx, cancel := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	wait.Go(func() {
		defer cancel()
		for i := range 40 {
			if err := s.Append(t.Context(), "x", storetest.Source(t, 0, 1000+i)); err != nil {
				t.Error(err)
			}
			if err := s.Import(t.Context(), "y", storetest.Source(t, 0, 10_000+i), &tstore.ImportOptions{Overwrite: true}); err != nil {
				t.Error(err)
			}
		}
	})
	paranoid, err := tstore.Open(t.Context(), s.Dir(), &tstore.Options{Paranoid: true})
	if err != nil {
		t.Fatal(err)
	}
	defer paranoid.Close()
	for rounds := 0; ctx.Err() == nil || rounds == 0; rounds++ {
		r, err := s.Verify(t.Context(), nil)
		if err != nil || len(r.Damage) > 0 {
			t.Fatalf("%+v, %v", r, err)
		}
		x, err := paranoid.Get(t.Context(), "x")
		if err != nil {
			t.Fatal(err)
		}
		x.Close()
	}
	wait.Wait()
	storetest.WantVerified(t, s, 2)
}
