package catalog_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/tstore/tstore/catalog"
)

// benchSizes are the catalogs that the benchmarks run over; -long adds a million records.
func benchSizes() []int {
	if *long {
		return []int{1_000, 1_000_000}
	}
	return []int{1_000}
}

func benchName(i int) string { return fmt.Sprintf("group%03d/sub%d/tensor%06d", i%500, i%7, i) }

// fill puts n tensors, ten to a storage, in batches.
func fill(b *testing.B, c *catalog.Catalog, n int) {
	b.Helper()
	const batch = 20_000
	for at := 0; at < n; at += batch {
		update(b, c, func(tx *catalog.Tx) error {
			var s catalog.Storage
			for i := at; i < min(at+batch, n); i++ {
				if i%10 == 0 {
					s = storage()
					if err := tx.PutStorage(s); err != nil {
						return err
					}
				}
				if err := tx.Put(tensor(benchName(i), s.ID)); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// each runs a benchmark over every size. Commits are durable unless noSync.
func benchEach(b *testing.B, run func(b *testing.B, c *catalog.Catalog, n int)) {
	for _, n := range benchSizes() {
		dir := b.TempDir()
		c, err := catalog.Create(b.Context(), dir, &catalog.Options{NoSync: true})
		if err != nil {
			b.Fatal(err)
		}
		fill(b, c, n)
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
		c = open(b, dir, nil)
		run(b, c, n)
	}
}

func BenchmarkCatalog(b *testing.B) {
	ctx := context.Background()
	benchEach(b, func(b *testing.B, c *catalog.Catalog, n int) {
		bench := func(name string, fn func(i int) error) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				for i := 0; b.Loop(); i++ {
					if err := fn(i); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		bench("LookupCached", func(int) error {
			_, err := c.Lookup(ctx, benchName(0))
			return err
		})
		bench("Get", func(i int) error {
			return c.View(ctx, func(tx *catalog.Tx) error {
				_, err := tx.Get(benchName(i * 7919 % n))
				return err
			})
		})
		bench("List100", func(i int) error {
			return c.View(ctx, func(tx *catalog.Tx) error {
				_, err := tx.List("", benchName(i*7919%n), true, 100)
				return err
			})
		})
		bench("ListGroups", func(i int) error {
			return c.View(ctx, func(tx *catalog.Tx) error {
				_, err := tx.List("", "", false, 100)
				return err
			})
		})
		bench("Put", func(i int) error {
			return c.Update(ctx, func(tx *catalog.Tx) error { return tx.Put(blob(fmt.Sprintf("new/%d", i%1000), "x")) })
		})
		bench("Replace", func(i int) error {
			return c.Update(ctx, func(tx *catalog.Tx) error {
				r, err := tx.Get(benchName(i * 7919 % n))
				if err != nil {
					return err
				}
				return tx.Put(r)
			})
		})
		bench("Put100", func(i int) error {
			return c.Update(ctx, func(tx *catalog.Tx) error {
				for j := range 100 {
					if err := tx.Put(blob(fmt.Sprintf("new/%d", (i*100+j)%10000), "x")); err != nil {
						return err
					}
				}
				return nil
			})
		})
		bench("Check", func(int) error {
			_, err := c.Check(ctx)
			return err
		})
	})
}
