package catalog

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/tstore/tstore/catalog/internal/boltfile"
	"github.com/tstore/tstore/internal/sentinel"
)

// Tx is one transaction: a consistent look at the whole catalog and, inside Update, changes to it
// that become visible together or not at all. It belongs to the goroutine of the callback and ends
// with it; later calls return ErrClosed. What its methods return are copies, free to keep.
//
// The catalog's lock is held as long as the callback runs, against all processes: it must be short,
// must not touch tensor data, and must not use the Catalog, which would wait for itself.
type Tx struct {
	ctx      context.Context
	path     string
	commit   *boltfile.Commit // what the transaction started from
	writable bool
	done     bool
	meta     Meta
	now      time.Time
	spill    func() error // Rebuild: empties the buckets' changes into the file
	rebased  int          // counts spills
	lowest   *floor       // nil before it was looked for
	newest   *uint64      // number of the newest snapshot that there is, 0 for none; nil before it was looked for

	metas, names, storages, refs, trash, patches, snapshots, jobs *bucket
}

// begin starts a transaction over a commit of the file at path. The format number is looked at
// before anything else.
func begin(ctx context.Context, path string, c *boltfile.Commit, writable bool) (*Tx, error) {
	tx := &Tx{ctx: ctx, path: path, writable: writable}
	if writable {
		tx.now = time.Now().UTC()
	}
	if err := tx.readMeta(c); err != nil {
		return nil, err
	}
	return tx, tx.rebase(c)
}

// rebase sets all buckets to a commit, without changes.
func (tx *Tx) rebase(c *boltfile.Commit) error {
	tx.rebased++
	tx.commit = c
	for _, b := range []struct {
		name string
		at   **bucket
	}{
		{metaBucket, &tx.metas}, {namesBucket, &tx.names}, {storagesBucket, &tx.storages}, {refsBucket, &tx.refs},
		{trashBucket, &tx.trash}, {patchesBucket, &tx.patches}, {snapshotsBucket, &tx.snapshots}, {jobsBucket, &tx.jobs},
	} {
		var err error
		if *b.at, err = tx.bucket(c, b.name); err != nil {
			return err
		}
	}
	return nil
}

// spillLen is how many changes of one bucket Rebuild holds in memory.
const spillLen = 20_000

// relieve spills the changes if there are many and the transaction can.
func (tx *Tx) relieve() error {
	if tx.spill == nil || tx.names.changes.Len() < spillLen && tx.storages.changes.Len() < spillLen {
		return nil
	}
	return tx.spill()
}

// bucket opens one bucket of the commit.
func (tx *Tx) bucket(c *boltfile.Commit, name string) (*bucket, error) {
	t, ok, err := c.Bucket(name)
	if err == nil && !ok && !optionalBuckets[name] {
		err = corrupt(tx.path, "bucket %q is missing", name)
	}
	return &bucket{name: name, tx: tx, base: t}, err
}

func (tx *Tx) readMeta(c *boltfile.Commit) error {
	b, err := tx.bucket(c, metaBucket)
	if err != nil {
		return err
	}

	// The format comes first: a store of a newer format may hold metadata that this program
	// misreads.
	text, err := b.raw(formatKey)
	if err != nil {
		return err
	}
	format, err := parseFormat(text)
	if err != nil {
		return b.bad(formatKey, err)
	}

	if format > FormatVersion {
		return sentinel.Newer(strconv.Quote(tx.path), format, FormatVersion)
	}

	message, err := b.get(storeKey)
	if err != nil {
		return err
	}
	if message == nil {
		return b.bad(storeKey, errors.New("missing"))
	}

	tx.meta, err = decodeMeta(message)
	tx.meta.Format = format
	return b.bad(storeKey, err)
}

// usable returns ErrClosed after the end of the transaction.
func (tx *Tx) usable() error {
	if tx.done {
		return fmt.Errorf("transaction has ended: %w", ErrClosed)
	}
	return nil
}

// writing returns an error unless the transaction may change the catalog now.
func (tx *Tx) writing() error {
	if !tx.writable {
		return fmt.Errorf("transaction started by View: %w", ErrReadOnly)
	}
	return tx.usable()
}

// changed returns the buckets that the transaction has changed.
func (tx *Tx) changed() []*bucket {
	var list []*bucket
	for _, b := range []*bucket{tx.metas, tx.names, tx.storages, tx.refs, tx.trash, tx.patches, tx.snapshots, tx.jobs} {
		if b.changes.Len() > 0 {
			list = append(list, b)
		}
	}
	return list
}

// Meta returns what the catalog says of itself.
func (tx *Tx) Meta() Meta { return tx.meta }

// Get returns the record of name, or ErrNotFound. It does not look for similar names; see Nearest.
func (tx *Tx) Get(name string) (Record, error) {
	if err := CheckName(name); err != nil {
		return Record{}, err
	}
	r, err := tx.find(name)
	if err == nil && r == nil {
		return Record{}, fmt.Errorf("%q %w", name, ErrNotFound)
	}
	if err != nil {
		return Record{}, err
	}
	return *r, nil
}

// find returns the record of name, nil when there is none.
func (tx *Tx) find(name string) (*Record, error) {
	key := nameKey(name)
	message, err := tx.names.get(key)
	if message == nil || err != nil {
		return nil, err
	}
	r, err := decodeRecord(name, message)
	return &r, tx.names.bad(key, err)
}

// record decodes a pair of bucket names.
func (tx *Tx) record(key, value []byte) (Record, error) {
	message, err := tx.names.open(key, value)
	if err != nil {
		return Record{}, err
	}
	name, err := keyName(key)
	if err != nil {
		return Record{}, tx.names.bad(key, err)
	}
	r, err := decodeRecord(name, message)
	return r, tx.names.bad(key, err)
}

// Records yields all records: a group's records follow each other, names are in order within a
// group. A damaged record is yielded as its error, and the iteration goes on; it ends early when
// the tree itself is damaged or ctx ends.
func (tx *Tx) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		tx.names.each(nil, func(key, value []byte) bool { return yield(tx.record(key, value)) },
			func(err error) { yield(Record{}, err) })
	}
}

// each calls pair for the keys that start with prefix, until it returns false, and fail for an
// error of the tree.
func (b *bucket) each(prefix []byte, pair func(key, value []byte) bool, fail func(error)) {
	cur := b.cursor()
	key, value, err := cur.seek(prefix)
	for err == nil && key != nil && len(key) >= len(prefix) && string(key[:len(prefix)]) == string(prefix) {
		if !pair(key, value) {
			return
		}
		key, value, err = cur.nextAfter(key)
	}
	if err != nil {
		fail(err)
	}
}
