package main

import "github.com/spf13/cobra"

// commands construct the commands, in no particular order: help groups and
// sorts them.
var commands = []func(*app) *cobra.Command{
	newAdopt,
	newAppend,
	newAttr,
	newBlob,
	newCat,
	newCompact,
	newCopy,
	newCreate,
	newDefine,
	newDemo,
	newDiff,
	newEval,
	newExport,
	newFill,
	newFsck,
	newGC,
	newGet,
	newHist,
	newImport,
	newInfo,
	newInit,
	newLs,
	newMan,
	newMove,
	newReduce,
	newRemove,
	newResize,
	newSeal,
	newSet,
	newShow,
	newStats,
	newSync,
	newTx,
	newUnseal,
	newVersion,
	newView,
}
