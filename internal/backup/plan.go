package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/manifest"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// backup is a Backup at work.
type backup struct {
	store *Store
	opts  Options
	hold  *hold
	// scratch begins the names of files that are made outside of the store.
	scratch string
	// snaps are the snapshots that are copied.
	snaps []catalog.Snapshot
	// old is an earlier backup; oldFiles are its files by their paths in the store, oldPaths by those
	// in the backup.
	old      *manifest.Manifest
	oldFiles map[string]*manifest.File
	oldPaths map[string]*manifest.File
	items    []*backupItem
	// moved are the generations of files that have another one in the backup than in the store, by
	// their paths in the store; edited are the snapshots that have such files.
	moved  map[string]uint32
	edited map[catalog.ID]catalog.Snapshot
	// paths are those of the data files in the backup.
	paths map[string]bool
	// headers are the sums of headers that had to be made anew.
	headers map[catalog.ID]uint32
	buf     []byte
	done    int64
	total   int64
	report  Report
}

// backupItem is a file that is to be in the backup.
type backupItem struct {
	manifest.File
	kind itemKind
	// storage is the one whose data, or sums, the file has, as the state with the longest payload
	// knows it. snapshot names that state; it is zero for the present.
	storage  catalog.Storage
	snapshot catalog.Snapshot
	// sealed is the storage of checksums as the store has it.
	sealed catalog.Storage
	// have is the number of payload bytes that the backup has already, all of them if the file stays
	// as it is; there is true if the backup has the file.
	have  int64
	there bool
	// header is to be written to the file; nil if the file has its header. stale is true if a file
	// that is there may have another one.
	header  []byte
	stale   bool
	skipped bool
	// made is true for a snapshot that was made anew, and lies where the backup is made.
	made bool
}

type itemKind uint8

const (
	dataItem itemKind = iota
	sumsItem
	imageItem
)

// isKept reports whether there is nothing to do for a file.
func (it *backupItem) isKept() bool { return it.there && it.have == it.Size && it.header == nil }

// follow makes an earlier backup the one that this one follows.
func (b *backup) follow(old *manifest.Manifest) {
	b.old, b.oldFiles, b.oldPaths = old, map[string]*manifest.File{}, map[string]*manifest.File{}
	for i := range old.Files {
		f := &old.Files[i]
		b.oldPaths[f.Path] = f
		if f.Source.Path != "" {
			b.oldFiles[f.Source.Path] = f
		}
	}
}

// plan lists the files of the held state.
func (b *backup) plan(ctx context.Context) error {
	data := map[string]*backupItem{}
	var images []*backupItem
	err := b.eachState(ctx, func(snap catalog.Snapshot, c *catalog.Tx) error {
		if snap.ID != b.hold.snap.ID {
			images = append(images, imageOf(snap))
		}

		for st, err := range c.Storages() {
			if err != nil {
				return err
			}
			if err := b.adopted(c, st, snap); err != nil {
				return err
			}
			for _, file := range st.OwnFiles() {
				it := data[file]
				if it == nil {
					it = &backupItem{}
					data[file] = it
				}
				// Of the states that have a file, the one with the most of it counts.
				if it.Path == "" || st.PayloadBytes >= it.storage.PayloadBytes {
					it.take(file, st, snap)
				}
			}
		}
		return nil
	})
	if err != nil {
		return err
	}

	if err := b.findKnown(ctx); err != nil {
		return err
	}

	// In a fixed order, so that two backups of one state are alike.
	b.items = images
	for _, file := range slices.Sorted(maps.Keys(data)) {
		b.items = append(b.items, data[file])
	}
	return nil
}

// eachState calls fn for the states that are copied: those of the snapshots, the oldest first, and
// the held one last.
func (b *backup) eachState(ctx context.Context, fn func(catalog.Snapshot, *catalog.Tx) error) error {
	err := b.store.Engine.WithImage(b.hold.snap, func(m *catalog.Image) error {
		return m.View(ctx, func(c *catalog.Tx) (err error) {
			b.snaps, err = c.Snapshots()
			b.snaps = slices.DeleteFunc(b.snaps, func(snap catalog.Snapshot) bool { return b.opts.NoSnapshots || engine.IsHold(snap.Name) })
			return err
		})
	})
	if err != nil {
		return err
	}

	b.report.Snapshots, b.report.Adopted = nil, nil
	for _, snap := range append(slices.Clone(b.snaps), b.hold.snap) {
		if snap.ID != b.hold.snap.ID {
			b.report.Snapshots = append(b.report.Snapshots, snap.Name)
		}
		// A damaged snapshot must not get into a backup unnoticed.
		err := b.store.Engine.WithImage(snap, func(m *catalog.Image) error {
			return errors.Join(m.Verify(ctx), m.View(ctx, func(c *catalog.Tx) error { return fn(snap, c) }))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// adopted notes the tensors whose elements lie in a file outside of the store.
func (b *backup) adopted(c *catalog.Tx, st catalog.Storage, snap catalog.Snapshot) error {
	if !st.Adopted || snap.ID != b.hold.snap.ID || len(b.report.Adopted) == engine.ProblemNames {
		return nil
	}
	names, err := c.Sharers(st.ID, engine.ProblemNames-len(b.report.Adopted))
	b.report.Adopted = append(b.report.Adopted, names...)
	return err
}

func imageOf(snap catalog.Snapshot) *backupItem {
	it := &backupItem{kind: imageItem, snapshot: snap}
	it.Path, it.Size, it.Source.Path = snap.File(), snap.Bytes, snap.File()
	return it
}

// take describes a file of a storage.
func (it *backupItem) take(file string, st catalog.Storage, snap catalog.Snapshot) {
	it.storage, it.snapshot = st, snap
	it.Path, it.Source = file, manifest.Source{Path: file}
	if strings.HasSuffix(file, ".sums") {
		it.kind, it.sealed = sumsItem, st
		it.Source.Root = fmt.Sprintf("%x", st.Seal.Root)
		it.Size = blocksum.HeaderBytes + 8*int64(blocksum.Count(st.Seal.PayloadBytes))
		return
	}
	it.Header, it.Size, it.Sparse = st.HeaderBytes, st.PayloadBytes, st.Sparse
	it.Source.Changes, it.Source.Header = st.Changes, st.HeaderSum
	it.Source.Next = st.NextGen
	if st.Seal != nil {
		it.Source.Root = fmt.Sprintf("%x", st.Seal.Root)
	}
}

// grew reports whether the header of a file that is there must be written again.
func (b *backup) grew(it *backupItem) bool {
	old := b.oldFiles[it.Source.Path]
	return it.there && it.kind == dataItem && (it.have < it.Size || old.Source.Header != it.Source.Header || it.stale)
}

// firstMoved is the least generation of files that have another in the backup than in the store.
const firstMoved = 1 << 31

// move gives an item another generation, which no other file has, since the earlier backup needs
// the file of that name.
func (b *backup) move(it *backupItem) error {
	st := it.storage
	for st.Gen = firstMoved; ; st.Gen++ {
		if st.Gen == 1<<32-2 {
			return fmt.Errorf("storage %v has had too many files: make the backup in a new folder", st.ID)
		}
		if _, taken := b.oldPaths[st.File()]; !taken && !b.paths[st.File()] {
			break
		}
	}
	b.moved[it.Source.Path], it.Path = st.Gen, st.File()
	b.paths[it.Path] = true
	return nil
}

// moveSums gives the checksums of a storage the generation of its data.
func (b *backup) moveSums(it *backupItem) {
	gen, moved := b.moved[it.storage.File()]
	if !moved || it.storage.Adopted {
		return
	}
	it.storage.Gen = gen
	it.Path = it.storage.SumsFile()
	// The file is written anew for the backup, so nothing of an earlier one can be used.
	it.Key, it.have, it.there, it.Source.Path = "", 0, false, ""
}

// readHeader reads the header for the file of an item in the backup. It is the header in the store,
// unless that one describes a later state.
func (b *backup) readHeader(ctx context.Context, it *backupItem) error {
	head := make([]byte, it.Header)
	f, err := b.openSource(b.store.Engine.Path(it.Source.Path))
	if err != nil {
		return inSource(err)
	}

	_, err = f.ReadAt(head, 0)
	if errors.Is(err, io.EOF) {
		err = store.ErrTruncated
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return inSource(err)
	}

	it.header, it.HeaderSum = head, storefile.HeaderSum(head)
	if it.HeaderSum == it.storage.HeaderSum && !storefile.PromisesMore(head, it.Size) {
		return nil
	}

	// A later state: make the header from the records of the state that is copied.
	return b.store.Engine.WithImage(it.snapshot, func(m *catalog.Image) error {
		return m.View(ctx, func(c *catalog.Tx) error {
			present, _ := b.store.Engine.ReadHeader(it.storage)
			h, err := storefile.HeaderIn(c, it.storage, present)
			if err != nil {
				return err
			}
			if it.header, err = h.Encode(); err != nil {
				return err
			}
			it.HeaderSum = storefile.HeaderSum(it.header)
			// The catalog of the backup must expect this header.
			if it.HeaderSum != it.storage.HeaderSum && it.snapshot.ID == b.hold.snap.ID {
				b.headers[it.storage.ID] = it.HeaderSum
			}
			return nil
		})
	})
}
