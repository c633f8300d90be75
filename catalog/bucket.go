package catalog

import (
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog/internal/boltfile"
	"github.com/tstore/tstore/catalog/internal/overlay"
	"github.com/tstore/tstore/catalog/internal/wire"
)

// The buckets of a catalog.
const (
	metaBucket     = "meta"
	namesBucket    = "names"    // name -> record
	storagesBucket = "storages" // storage id -> storage
	refsBucket     = "refs"     // storage id and name -> nothing: who uses a storage
	trashBucket    = "trash"    // file -> when it was queued
	patchesBucket  = "patches"  // storage id -> redo entry

	snapshotsBucket = "snapshots" // name -> snapshot
	jobsBucket      = "jobs"      // storage id -> job
)

var allBuckets = []string{metaBucket, namesBucket, storagesBucket, refsBucket, trashBucket, patchesBucket, snapshotsBucket, jobsBucket}

// optionalBuckets are those that a catalog may lack: the first that is put there makes them.
var optionalBuckets = map[string]bool{snapshotsBucket: true, jobsBucket: true}

// unseal checks a value of a bucket and returns the message inside it, without copying.
func unseal(bucket string, key, value []byte) ([]byte, error) {
	newest := byte(wire.Version)
	if bucket == patchesBucket {
		newest = runsVersion
	}
	return wire.Unseal(newest, bucket, key, value)
}

// bucket is one bucket as a transaction sees it: what the last commit left, under the transaction's
// own changes.
type bucket struct {
	name    string
	tx      *Tx
	base    boltfile.Tree
	changes overlay.Changes
	probe   boltfile.Cursor // of raw, kept to save its allocation
}

// bad turns an error about the value of key into an ErrCorrupt, or ErrFuture, that names both. nil
// stays nil.
func (b *bucket) bad(key []byte, err error) error {
	if err == nil {
		return nil
	}
	what := fmt.Sprintf("bucket %q, key %q: ", b.name, key)
	if errors.Is(err, ErrFuture) {
		return fmt.Errorf("%q, %s%w", b.tx.path, what, err)
	}
	return corrupt(b.tx.path, "%s%v", what, err)
}

// raw returns the sealed value of key, nil when there is none.
func (b *bucket) raw(key []byte) ([]byte, error) {
	if b.changes.Len() > 0 {
		if c := b.changes.Get(key); c != nil {
			return c.Value, nil
		}
	}
	return b.base.Get(&b.probe, key)
}

// get returns the message of key, nil when there is none. It must not be kept past the transaction.
func (b *bucket) get(key []byte) ([]byte, error) {
	if err := b.tx.usable(); err != nil {
		return nil, err
	}
	value, err := b.raw(key)
	if value == nil || err != nil {
		return nil, err
	}
	return b.open(key, value)
}

// open unseals the value of key. The result is never nil unless there is an error.
func (b *bucket) open(key, value []byte) ([]byte, error) {
	message, err := unseal(b.name, key, value)
	return message, b.bad(key, err)
}

// has says whether key is there.
func (b *bucket) has(key []byte) (bool, error) {
	if err := b.tx.usable(); err != nil {
		return false, err
	}
	value, err := b.raw(key)
	return value != nil, err
}

// hasPrefix says whether any key starts with prefix.
func (b *bucket) hasPrefix(prefix []byte) (bool, error) {
	cur := b.cursor()
	key, _, err := cur.seek(prefix)
	return key != nil && len(key) >= len(prefix) && string(key[:len(prefix)]) == string(prefix), err
}

// put sets the message of key.
func (b *bucket) put(key, message []byte) error { return b.putAs(wire.Version, key, message) }

// putAs is put with another version byte.
func (b *bucket) putAs(version byte, key, message []byte) error {
	if len(message) > wire.MaxMessageBytes {
		return fmt.Errorf("%w: %q needs %d bytes in the catalog, at most %d are allowed", ErrInvalid, key, len(message), wire.MaxMessageBytes)
	}
	b.changes.Set(key, wire.Seal(version, b.name, key, message))
	return nil
}

// del removes key if it is there.
func (b *bucket) del(key []byte) error {
	there, err := b.has(key)
	if there && err == nil {
		b.changes.Set(key, nil)
	}
	return err
}

// cursor returns a cursor over the keys in order. Changes that the transaction makes meanwhile show
// up ahead of it.
func (b *bucket) cursor() *cursor {
	return &cursor{b: b, below: b.base.Cursor(), rebased: b.tx.rebased}
}

// cursor walks through a bucket: the base and the changes, merged.
type cursor struct {
	b       *bucket
	below   boltfile.Cursor
	key     []byte // where the base stands; nil at its end
	steps   int
	rebased int // what the transaction's was at the start
}

// usable returns an error when the transaction has ended, or has lost what the cursor stands on.
func (c *cursor) usable() error {
	if c.rebased != c.b.tx.rebased {
		return fmt.Errorf("%w: iteration over a catalog that is rebuilt meanwhile", ErrInvalid)
	}
	return c.b.tx.usable()
}

// ctxSteps is how many steps a cursor makes between looks at the transaction's context.
const ctxSteps = 1024

// seek goes to the first key that is not less than from. A nil key means the end. Keys and sealed
// values are valid as long as the transaction.
func (c *cursor) seek(from []byte) (key, value []byte, err error) {
	if err := c.usable(); err != nil {
		return nil, nil, err
	}
	if c.key, err = c.below.Seek(from); err != nil {
		return nil, nil, err
	}
	return c.merge(c.b.changes.Seek(from))
}

// nextAfter goes to the first key greater than key, which seek or nextAfter returned last.
func (c *cursor) nextAfter(key []byte) (_, value []byte, err error) {
	if err := c.usable(); err != nil {
		return nil, nil, err
	}
	if c.steps++; c.steps%ctxSteps == 0 {
		if err := c.b.tx.ctx.Err(); err != nil {
			return nil, nil, err
		}
	}
	if err := c.skip(key); err != nil {
		return nil, nil, err
	}
	return c.merge(c.b.changes.After(key))
}

// skip moves the base past key.
func (c *cursor) skip(key []byte) (err error) {
	for err == nil && c.key != nil && string(c.key) <= string(key) {
		c.key, err = c.below.Next()
	}
	return err
}

// merge returns the smaller of the base's key and the change's, leaving out what was deleted.
func (c *cursor) merge(ch *overlay.Change) (key, value []byte, err error) {
	for {
		if ch == nil || c.key != nil && string(c.key) < ch.Key {
			return c.baseValue()
		}
		key := []byte(ch.Key)
		if ch.Value != nil {
			return key, ch.Value, nil
		}
		if err := c.skip(key); err != nil {
			return nil, nil, err
		}
		ch = c.b.changes.After(key)
	}
}

func (c *cursor) baseValue() (key, value []byte, err error) {
	if c.key == nil {
		return nil, nil, nil
	}
	value, isBucket, err := c.below.Value()
	if err == nil && isBucket {
		err = c.b.bad(c.key, errors.New("it holds a bucket"))
	}
	return c.key, value, err
}
