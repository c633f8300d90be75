package catalog_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/dtype"
)

// Two tensors share one storage: the second is the first row of the first.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "catalog")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	c, err := catalog.Create(ctx, dir, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	err = c.Update(ctx, func(tx *catalog.Tx) error {
		s := catalog.Storage{ID: catalog.NewID(), HeaderBytes: 4096, PayloadBytes: 24}
		if err := tx.PutStorage(s); err != nil {
			return err
		}
		whole := catalog.Record{
			Name: "weather/t2m", Storage: s.ID, DType: dtype.Float32, Shape: []int64{2, 3}, Strides: []int64{3, 1},
			Attrs: map[string]catalog.Value{"units": catalog.StringValue("K")},
		}
		row := catalog.Record{Name: "weather/first", Storage: s.ID, DType: dtype.Float32, Shape: []int64{3}, Strides: []int64{1}}
		if err := tx.Put(whole); err != nil {
			return err
		}
		return tx.Put(row)
	})
	if err != nil {
		log.Fatal(err)
	}

	e, err := c.Lookup(ctx, "weather/t2m")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Record.DType, e.Record.Shape, "units", e.Record.Attrs["units"], "used by", e.Storage.Refs)

	err = c.View(ctx, func(tx *catalog.Tx) error {
		items, err := tx.List("weather", "", false, 0)
		for _, item := range items {
			fmt.Println(item.Name)
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	err = c.Update(ctx, func(tx *catalog.Tx) error { return tx.Delete("weather/t2n") })
	fmt.Println(err)
	// Output:
	// float32 [2 3] units K used by 2
	// weather/first
	// weather/t2m
	// "weather/t2n" not found; did you mean "weather/t2m"?
}
