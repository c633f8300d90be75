package main

import (
	"strings"

	"github.com/tstore/tstore"
	"github.com/tstore/tstore/catalog"
)

// isSource reports whether text is a name, or a name in a snapshot: "x@monday".
func isSource(text string) bool {
	name, snapshot, at := strings.Cut(text, "@")
	return catalog.CheckName(name) == nil && (!at || catalog.CheckSnapshotName(snapshot) == nil)
}

// sourceOf is the name of a tensor as a selector spells it.
func sourceOf(info *tstore.Info) string {
	if info.Selector.Snapshot == "" {
		return info.Record.Name
	}
	return info.Record.Name + "@" + info.Selector.Snapshot
}
