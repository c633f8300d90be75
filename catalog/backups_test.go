package catalog_test

import (
	"testing"

	"github.com/tstore/tstore/catalog"
)

// TestKnowsBackup adds more backups than a catalog remembers: those that are followed stay.
func TestKnowsBackup(t *testing.T) {
	c := create(t, &catalog.Options{NoSync: true})
	base, other := catalog.NewID(), catalog.NewID()
	update(t, c, func(tx *catalog.Tx) error { return tx.AddBackup(base, catalog.ID{}) })
	update(t, c, func(tx *catalog.Tx) error { return tx.AddBackup(other, base) })
	var last catalog.ID
	for range 300 {
		last = catalog.NewID()
		update(t, c, func(tx *catalog.Tx) error { return tx.AddBackup(last, base) })
	}
	view(t, c, func(tx *catalog.Tx) error {
		for id, want := range map[catalog.ID]bool{base: true, last: true, other: false, {}: false, catalog.NewID(): false} {
			if known, err := tx.KnowsBackup(id); err != nil || known != want {
				t.Errorf("%v: known: %v, %v, want %v", id, known, err, want)
			}
		}
		return nil
	})
}
