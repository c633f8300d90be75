package tstore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/tstore/tstore"
)

// BenchmarkGCSnapshots looks for garbage, and for damage, in stores of many snapshots, each of
// which alone has one of the files. wait-ms is the longest time that a new tensor took beside them:
// who makes one must have the lock that keeps gc off.
func BenchmarkGCSnapshots(b *testing.B) {
	work := map[string]func(context.Context, *tstore.Store) error{
		"gc":   func(ctx context.Context, s *tstore.Store) error { return second(s.GC(ctx, nil)) },
		"fsck": func(ctx context.Context, s *tstore.Store) error { return second(s.Check(ctx)) },
	}
	for _, n := range []int{200, 800, 1500, 5000} {
		b.Run(fmt.Sprintf("snapshots=%d", n), func(b *testing.B) {
			dir := manySnapshots(b, n)
			for name, run := range work {
				b.Run(name, func(b *testing.B) { benchBesideWriter(b, dir, run) })
			}
		})
	}
}

// manySnapshots makes a store of n snapshots of a few tensors, one of which is another in each.
func manySnapshots(t testing.TB, n int) string {
	dir := filepath.Join(t.TempDir(), "s")
	s, err := tstore.Init(t.Context(), dir, &tstore.Options{Durability: tstore.DurabilityNone})
	must(t, err)
	for _, name := range []string{"x", "kept1", "kept2", "kept3", "beside"} {
		create(t, s, name, source(t, 0, 4))
	}
	for i := range n {
		must(t, s.Replace(t.Context(), "x", source(t, float64(i), 4)))
		must(t, second(s.CreateSnapshot(t.Context(), fmt.Sprintf("s%05d", i), "")))
	}
	must(t, s.Close())
	return dir
}

// benchBesideWriter measures run while another handle makes tensors.
func benchBesideWriter(b *testing.B, dir string, run func(context.Context, *tstore.Store) error) {
	s, writer := openStore(b, dir), openStore(b, dir)
	done, longest := make(chan struct{}), make(chan time.Duration)
	go func() {
		var most time.Duration
		for i := 0; ; i++ {
			select {
			case <-done:
				longest <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
			began := time.Now()
			if err := writer.Replace(context.Background(), "beside", source(b, 0, 4)); err != nil {
				b.Error(err)
			}
			most = max(most, time.Since(began))
		}
	}()
	for b.Loop() {
		must(b, run(b.Context(), s))
	}
	close(done)
	b.ReportMetric(float64((<-longest).Milliseconds()), "wait-ms")
}
