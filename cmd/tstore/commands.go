package main

import "github.com/spf13/cobra"

// commands construct the commands, in no particular order: help groups and
// sorts them.
var commands = []func(*app) *cobra.Command{
	newAttr,
	newBlob,
	newCat,
	newCopy,
	newDiff,
	newExport,
	newFill,
	newFsck,
	newGC,
	newGet,
	newInfo,
	newInit,
	newLs,
	newMan,
	newMove,
	newRemove,
	newResize,
	newShow,
	newStats,
	newVersion,
	newView,
}
