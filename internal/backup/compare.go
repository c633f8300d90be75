package backup

import (
	"fmt"

	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/fsx"
	"github.com/tstore/tstore/internal/manifest"
)

// compare finds out what the earlier backup has of an item. Sealed files are compared by their
// sums. Of other files the generation and the count of changes tell: in a store that knows the
// earlier backup they never stand for two states. A file with the same numbers has only grown, or
// shrunk to what a snapshot has of it, so the bytes that both have are the same. Inode and device
// tell the store from a copy of it that went another way.
func (b *backup) compare(it *backupItem) {
	if it.kind == dataItem {
		if fi, err := b.store.Engine.FS.Stat(b.store.Engine.Path(it.Source.Path)); err == nil {
			id := fsx.IdentityOf(fi)
			it.Source.Inode, it.Source.Device = id.Inode, id.Dev
		}
	}

	old := b.oldFiles[it.Source.Path]
	if old == nil || old.Key == "" || old.Header != it.Header {
		return
	}

	switch {
	case it.kind != dataItem:
		sums := it.kind != sumsItem || old.Source.Root == "" || old.Source.Root == it.Source.Root
		it.there = sums && old.Size == it.Size && old.Path == it.Path
	case it.Source.Root != "" && old.Source.Root != "" && old.Size <= it.Size:
		it.there = b.beginsAs(it, old)
	default:
		it.there = !b.report.Unknown && sameNumbers(it.Source, old.Source)
		if it.there {
			it.Source.Root = "" // nobody has compared the bytes with it
		}
	}

	if it.there {
		it.Key, it.have = old.Key, min(old.Size, it.Size)
	}
}

// sameNumbers reports whether a file has changed, but for its length, since it was backed up.
func sameNumbers(a, b manifest.Source) bool {
	return a.Changes == b.Changes && a.Next == b.Next && a.Inode == b.Inode && a.Device == b.Device
}

// beginsAs reports whether a sealed storage begins with the bytes of a shorter one that was backed
// up. The sums of full blocks must be the same. The short last block of the backup has no sum in
// the store any more, so it is summed from the file.
func (b *backup) beginsAs(it *backupItem, old *manifest.File) bool {
	if old.Size == it.Size {
		return old.Source.Root == it.Source.Root
	}

	st := it.storage
	sums, err := b.store.Engine.LoadSums(st)
	if err != nil {
		return false
	}

	full := old.Size / blocksum.BlockBytes
	sums = sums[:full:full]
	if cut := old.Size % blocksum.BlockBytes; cut > 0 {
		f, err := b.openSource(b.store.Engine.Path(it.Source.Path))
		if err != nil {
			return false
		}
		defer f.Close()
		last := make([]byte, cut)
		if _, err := f.ReadAt(last, it.Header+full*blocksum.BlockBytes); err != nil {
			return false
		}
		sums = append(sums, blocksum.Of(st.ID, full, last))
	}

	return fmt.Sprintf("%x", blocksum.Root(sums)) == old.Source.Root
}
