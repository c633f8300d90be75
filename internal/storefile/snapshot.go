package storefile

import (
	"path"
	"strings"

	"github.com/tstore/tstore/catalog"
)

// SnapshotDir is the folder of the files of snapshots.
const SnapshotDir = "snapshots"

// SnapshotTemp is what a snapshot's file is called in addition while it is made.
const SnapshotTemp = ".tmp"

// ParseSnapshot reads the name of a snapshot's file, or of one that is made.
func ParseSnapshot(name string) (id catalog.ID, ok bool) {
	base, found := strings.CutSuffix(strings.TrimSuffix(name, SnapshotTemp), ".db")
	if !found {
		return id, false
	}
	id, err := catalog.ParseID(base)
	return id, err == nil && path.Base(catalog.Snapshot{ID: id}.File()) == strings.TrimSuffix(name, SnapshotTemp)
}
