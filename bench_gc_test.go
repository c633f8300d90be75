package tstore_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/internal/storetest"
)

// BenchmarkGCSnapshots looks for garbage, and for damage, in stores of many snapshots, each of
// which alone has one of the files. wait-ms is the longest time that a new tensor took beside them:
// who makes one must have the lock that keeps gc off.
func BenchmarkGCSnapshots(b *testing.B) {
	work := map[string]func(context.Context, *tstore.Store) error{
		"gc":   func(ctx context.Context, s *tstore.Store) error { return storetest.Second(s.GC(ctx, nil)) },
		"fsck": func(ctx context.Context, s *tstore.Store) error { return storetest.Second(s.Check(ctx)) },
	}
	for _, n := range []int{200, 800, 1500, 5000} {
		b.Run(fmt.Sprintf("snapshots=%d", n), func(b *testing.B) {
			dir := storetest.ManySnapshots(b, n)
			for name, run := range work {
				b.Run(name, func(b *testing.B) { benchBesideWriter(b, dir, run) })
			}
		})
	}
}

// benchBesideWriter measures run while another handle makes tensors.
func benchBesideWriter(b *testing.B, dir string, run func(context.Context, *tstore.Store) error) {
	s, writer := storetest.OpenStore(b, dir), storetest.OpenStore(b, dir)
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
			if err := writer.Replace(context.Background(), "beside", storetest.Source(b, 0, 4)); err != nil {
				b.Error(err)
			}
			most = max(most, time.Since(began))
		}
	}()
	for b.Loop() {
		storetest.Must(b, run(b.Context(), s))
	}
	close(done)
	b.ReportMetric(float64((<-longest).Milliseconds()), "wait-ms")
}
