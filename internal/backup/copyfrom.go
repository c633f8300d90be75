package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/blocksum"
	"github.com/tstore/tstore/internal/engine"
	"github.com/tstore/tstore/internal/record"
	"github.com/tstore/tstore/internal/store"
	"github.com/tstore/tstore/internal/storefile"
)

// CopyFromOptions of CopyFrom.
type CopyFromOptions struct {
	Overwrite bool
	Rename    func(name string) string
}

// CopyFrom copies tensors, views, blobs, lazy names and groups of the store in dir, in one
// transaction.
func (s *Store) CopyFrom(ctx context.Context, dir string, names []string, o *CopyFromOptions) (done int, err error) {
	if err := s.Engine.CheckWritable(); err != nil {
		return 0, err
	}
	// Paranoid verifies what is sealed as it is read.
	from, err := open(ctx, dir, &store.Options{ReadOnly: true, Paranoid: true})
	if err != nil {
		return 0, fmt.Errorf("copy from %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	same, err := isSameFolder(from.Engine.Dir, s.Engine.Dir)
	if err == nil && same {
		err = errors.New("it is the store itself: copy without naming it")
	}
	if err != nil {
		return 0, fmt.Errorf("copy from %s: %w", dir, err)
	}

	t := &takeover{from: from, parts: map[partKey]*part{}}
	if o != nil {
		t.opts = *o
	}
	for _, name := range names {
		if err := t.add(ctx, name); err != nil {
			return 0, fmt.Errorf("copy from %s: %w", dir, err)
		}
	}

	err = s.Update(ctx, func(tx *store.Tx) error {
		if err := t.run(ctx, tx); err != nil {
			return fmt.Errorf("copy from %s: %w", dir, err)
		}
		return nil
	})
	return t.done, err
}

// isSameFolder reports whether two paths lead to one folder, also where it is mounted twice.
func isSameFolder(a, b string) (bool, error) {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if err := errors.Join(errA, errB); err != nil {
		return false, err
	}
	return os.SameFile(infoA, infoB), nil
}

// takeover is what one CopyFrom copies.
type takeover struct {
	from *Store
	opts CopyFromOptions
	// plain are the records without elements; parts the others by their storages, in order.
	plain []taken
	parts map[partKey]*part
	order []*part
	done  int
}

// taken is a record to be copied, and the name that it gets.
type taken struct {
	sel store.Selector
	rec catalog.Record
	as  string
}

// partKey names a storage as a snapshot has it.
type partKey struct {
	snapshot string
	id       catalog.ID
}

// part is a storage with the records to be copied that share it.
type part struct {
	snapshot string
	storage  catalog.Storage
	records  []taken
}

// add adds a name, or the names in a group, with what they stand for.
func (t *takeover) add(ctx context.Context, name string) error {
	all, err := t.from.namesIn(ctx, name)
	if err != nil {
		return err
	}
	return t.from.ViewAt(ctx, all[0].Snapshot, func(c *catalog.Tx) error {
		for _, sel := range all {
			if err := t.addRecord(c, sel); err != nil {
				return fmt.Errorf("%s: %w", sel, err)
			}
		}
		return nil
	})
}

func (t *takeover) addRecord(c *catalog.Tx, sel store.Selector) error {
	rec, err := c.Get(sel.Name)
	if err != nil {
		return err
	}
	one := taken{sel: sel, rec: rec, as: rec.Name}
	t.done++
	if rec.Kind != catalog.KindTensor {
		t.plain = append(t.plain, one)
		return nil
	}

	st, err := c.Storage(rec.Storage)
	if err != nil {
		return err
	}
	if st.State != catalog.Clean {
		return fmt.Errorf("%w: its storage is %v", store.ErrDirty, st.State)
	}
	key := partKey{sel.Snapshot, st.ID}
	if t.parts[key] == nil {
		t.parts[key] = &part{snapshot: sel.Snapshot, storage: st}
		t.order = append(t.order, t.parts[key])
	}
	t.parts[key].records = append(t.parts[key].records, one)
	return nil
}

// rename gives everything the name that it gets.
func (t *takeover) rename() {
	if t.opts.Rename == nil {
		return
	}
	for i := range t.plain {
		t.plain[i].as = t.opts.Rename(t.plain[i].rec.Name)
	}
	for _, p := range t.order {
		for i := range p.records {
			p.records[i].as = t.opts.Rename(p.records[i].rec.Name)
		}
	}
}

// run copies everything into files of a transaction. What was copied must still be what it was.
func (t *takeover) run(ctx context.Context, tx *store.Tx) error {
	t.rename()
	for _, one := range t.plain {
		one.rec.Name = one.as
		if err := errors.Join(t.makeRoom(ctx, tx, one.as), putBack(tx, one.rec)); err != nil {
			return err
		}
	}
	for _, p := range t.order {
		if err := t.runPart(ctx, tx, p); err != nil {
			return err
		}
	}
	return t.unchanged(ctx)
}

// makeRoom frees a name that is to be replaced.
func (t *takeover) makeRoom(ctx context.Context, tx *store.Tx, name string) error {
	if tx.Store().HasFreed(name) {
		return nil
	}
	err := tx.Base.Engine.Catalog.View(ctx, func(c *catalog.Tx) error { return store.MustBeFree(c, name) })
	if errors.Is(err, store.ErrExists) && t.opts.Overwrite {
		return tx.Remove(name)
	}
	if err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

// runPart copies the records of a storage. They go on sharing it if it is copied as a whole, which
// is worth its bytes if one of them has all of them; else each gets its elements.
func (t *takeover) runPart(ctx context.Context, tx *store.Tx, p *part) error {
	for _, one := range p.records {
		if err := t.makeRoom(ctx, tx, one.as); err != nil {
			return err
		}
	}
	whole, err := p.isWhole()
	if err != nil {
		return err
	}
	if whole {
		return t.copyStorage(ctx, tx, p)
	}
	for _, one := range p.records {
		if err := t.copyElements(ctx, tx, one); err != nil {
			return fmt.Errorf("%s: %w", one.sel, err)
		}
	}
	return nil
}

// isWhole reports whether the file of a storage is to be copied as it is. That of one small tensor
// in C order is not: it may share a file with others in the copy.
func (p *part) isWhole() (bool, error) {
	if p.storage.Adopted || p.storage.HeaderBytes != storefile.HeaderBytes {
		return false, nil
	}
	for _, one := range p.records {
		l, err := record.Layout(one.rec)
		if err != nil {
			return false, err
		}
		if len(p.records) == 1 && p.storage.PayloadBytes <= store.PackLimit && record.CoversWhole(one.rec, l, p.storage) {
			return false, nil
		}
		if int64(l.NumElems())*int64(one.rec.DType.Size()) >= p.storage.PayloadBytes {
			return true, nil
		}
	}
	return false, nil
}

// copyStorage makes a storage of the bytes of another, with its records and its seal.
func (t *takeover) copyStorage(ctx context.Context, tx *store.Tx, p *part) error {
	st, err := tx.Base.Engine.StageNew()
	if err != nil {
		return err
	}
	tx.Files = append(tx.Files, st)
	st.Storage.PayloadBytes, st.Storage.Sparse = p.storage.PayloadBytes, p.storage.Sparse
	if err := st.CloneOther(ctx, t.from.Engine, p.storage); err != nil {
		return err
	}

	records := make([]catalog.Record, len(p.records))
	for i, one := range p.records {
		records[i] = one.rec
		records[i].Name, records[i].Storage, records[i].Formula = one.as, st.Storage.ID, catalog.Formula{}
	}
	present, _ := storefile.PresentHeader(io.NewSectionReader(st.File, 0, storefile.HeaderBytes)) // the catalog is right
	if st.Header, err = storefile.HeaderOf(st.Storage, present, records, true); err != nil {
		return err
	}
	if p.storage.Seal != nil {
		if err := t.seal(ctx, tx, st, p); err != nil {
			return err
		}
	}

	if err := tx.PutStorage(st, records[0].Name); err != nil {
		return err
	}
	for _, rec := range records {
		if err := putBack(tx, rec); err != nil {
			return err
		}
	}
	return nil
}

// seal seals the copy of a sealed storage. It returns a *ChecksumError if the bytes are not those
// that were sealed: a new seal would hide the damage.
func (t *takeover) seal(ctx context.Context, tx *store.Tx, st *engine.Staged, p *part) error {
	was, err := t.from.Engine.LoadSums(p.storage)
	if err != nil {
		return err
	}
	copied := store.Summing{File: st.File, Storage: st.Storage, Look: func(b []byte, off int64) error {
		bad := blocksum.Bad(p.storage.ID, was, off/blocksum.BlockBytes, b)
		if len(bad) == 0 {
			return nil
		}
		at := bad[0] * blocksum.BlockBytes
		return store.PublicChecksum(&store.ChecksumError{
			Path: t.from.Engine.DataPath(p.storage), Offset: p.storage.HeaderBytes + at,
			Bytes: min(blocksum.BlockBytes, p.storage.PayloadBytes-at), Names: []string{p.records[0].sel.String()},
		})
	}}
	sums, err := copied.Run(ctx)
	if err != nil {
		return err
	}
	files, err := tx.Base.Engine.StageSeal(&st.Storage, sums)
	tx.Files = append(tx.Files, files...)
	return err
}

// copyElements gives a record a storage of its elements alone, in C order.
func (t *takeover) copyElements(ctx context.Context, tx *store.Tx, one taken) error {
	from, err := t.from.Get(ctx, one.sel.String())
	if err != nil {
		return err
	}
	defer from.Close()
	if from.Info.Record.Storage != one.rec.Storage {
		return errChangedMeanwhile
	}

	src := store.FromTensor(from.Tensor)
	src.Attrs, src.Dims, src.Seal = one.rec.Attrs, one.rec.Dims, from.Info.Storage.Seal != nil
	if from.Info.Storage.Sparse {
		src.Reserve = store.Sparse
	}
	made, err := tx.Write(one.as, src)
	if err != nil {
		return err
	}
	made.Created, made.Modified = one.rec.Created, one.rec.Modified
	return errors.Join(from.Unchanged(), putBack(tx, *made))
}

// errChangedMeanwhile: the copy may have elements of before and after a change.
var errChangedMeanwhile = fmt.Errorf("%w: it was changed while it was copied: try again", store.ErrConflict)

// unchanged returns ErrConflict if elements that were copied are not those of one state. Those of
// snapshots never change.
func (t *takeover) unchanged(ctx context.Context) error {
	return t.from.ViewAt(ctx, "", func(c *catalog.Tx) error {
		for _, p := range t.order {
			if p.snapshot != "" {
				continue
			}
			now, err := c.Storage(p.storage.ID)
			if errors.Is(err, store.ErrNotFound) || err == nil && (now.Gen != p.storage.Gen || now.Changes != p.storage.Changes || now.State != p.storage.State) {
				err = errChangedMeanwhile
			}
			if err != nil {
				return fmt.Errorf("%s: %w", p.records[0].sel, err)
			}
		}
		return nil
	})
}
