package catalog

import (
	"errors"
	"fmt"
	"syscall"

	"go.etcd.io/bbolt"
)

// commit hands the changes of a transaction to bbolt and makes them durable. A full disk is a plain
// failure as long as the new meta page is not in the file: the pages that were written belong to no
// transaction. Any other failure leaves in doubt whether the commit happened, and poisons the
// catalog.
func (c *Catalog) commit(h *handle, tx *Tx) error {
	changed := tx.changed()
	if len(changed) == 0 {
		return nil
	}

	btx, err := h.apply(changed)
	if err != nil {
		return err
	}

	if err := h.protect(btx.Commit); err != nil {
		// bbolt writes the meta page last. A file that shows the next transaction has committed it.
		outcome := c.visible(h.commit.Meta().TxID + 1)
		if outcome == OutcomeNo && errors.Is(err, syscall.ENOSPC) && !h.broken {
			h.trim()
			return fmt.Errorf("commit to %q: %w", h.path, err)
		}

		doubt := &InDoubtError{Committed: outcome, Err: err}
		c.poisoned.Store(doubt)
		return doubt
	}

	return nil
}

// trim gives back the room beyond the pages in use, which a commit took before the disk was full.
// It ignores errors: the next commit writes there.
func (h *handle) trim() {
	m := h.commit.Meta()
	_ = h.file.Truncate(int64(m.HighWater) * int64(m.PageSize))
}

// apply makes the changes in a bbolt transaction. Nothing reaches the file before its commit, so a
// failure here leaves no doubt.
func (h *handle) apply(changed []*bucket) (btx *bbolt.Tx, err error) {
	err = h.protect(func() error {
		if btx, err = h.db.Begin(true); err != nil {
			return err
		}
		for _, b := range changed {
			if err := b.apply(btx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && btx != nil && !h.broken {
		err = errors.Join(err, h.protect(btx.Rollback))
	}
	return btx, err
}

// apply makes the changes to one bucket. bbolt trusts the pages that it changes, so Guard checks
// them before each change.
func (b *bucket) apply(btx *bbolt.Tx) error {
	if err := b.tx.commit.Buckets().Guard([]byte(b.name), false); err != nil {
		return err
	}

	to, err := b.in(btx)
	if err != nil {
		return err
	}

	for c := range b.changes.All() {
		key := []byte(c.Key)
		if err := b.base.Guard(key, c.Value == nil); err != nil {
			return err
		}

		var err error
		if c.Value == nil {
			err = to.Delete(key)
		} else {
			err = to.Put(key, c.Value)
		}
		if err != nil {
			return err
		}
	}

	return nil
}

// in returns bbolt's bucket. It creates the bucket if that may be missing.
func (b *bucket) in(btx *bbolt.Tx) (*bbolt.Bucket, error) {
	to := btx.Bucket([]byte(b.name))
	switch {
	case to != nil:
		return to, nil
	case optionalBuckets[b.name]:
		return btx.CreateBucket([]byte(b.name))
	}
	return nil, corrupt(b.tx.path, "bucket %q is missing", b.name)
}

// visible looks at the file through a new descriptor, and says whether it shows transaction txid.
func (c *Catalog) visible(txid uint64) Outcome {
	m, err := readMeta(c.db)
	switch {
	case err != nil:
		return OutcomeUnknown
	case m.TxID >= txid:
		return OutcomeYes
	}
	return OutcomeNo
}
