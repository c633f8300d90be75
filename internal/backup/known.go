package backup

import (
	"context"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/manifest"
)

// findKnown finds out whether the held state has come from the state in the earlier backup. Only
// then do the numbers of files tell which have changed: a store that was rolled back from outside
// gives the same numbers to other elements.
//
// A backup that could write nothing to the store is known as long as the catalog is what it was:
// each change notes its time there.
func (b *backup) findKnown(ctx context.Context) error {
	b.report.Unknown = false
	if b.old == nil {
		return nil
	}

	known := false
	err := b.store.Engine.WithImage(b.hold.snap, func(m *catalog.Image) error {
		return m.View(ctx, func(c *catalog.Tx) (err error) {
			known, err = c.KnowsBackup(b.follows())
			return err
		})
	})
	if err != nil || known {
		return err
	}

	sum, err := sumOfState(b.hold.file)
	b.report.Unknown = sum != b.old.State
	return err
}

// follows returns the number by which the store may know the earlier backup, zero if that has none.
func (b *backup) follows() catalog.ID {
	if b.old == nil {
		return catalog.ID{}
	}
	id, _ := catalog.ParseID(b.old.State)
	return id
}

// sumOfState returns the checksum of a catalog file.
func sumOfState(file string) (string, error) {
	var sums manifest.Summer
	err := sumFile(file, &sums)
	return strings.Join(sums.Sums(), ""), err
}
