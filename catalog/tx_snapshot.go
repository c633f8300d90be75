package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"slices"

	"github.com/tstore/tstore/internal/fsx"
)

// Snapshots returns all snapshots, the oldest first.
func (tx *Tx) Snapshots() ([]Snapshot, error) {
	var list []Snapshot
	var fault error
	tx.snapshots.each(nil, func(key, value []byte) bool {
		message, err := tx.snapshots.open(key, value)
		if err != nil {
			fault = err
			return false
		}
		s, err := decodeSnapshot(string(key), message)
		list, fault = append(list, s), tx.snapshots.bad(key, err)
		return fault == nil
	}, func(err error) { fault = err })
	slices.SortFunc(list, func(a, b Snapshot) int { return cmp.Compare(a.Seq, b.Seq) })
	return list, fault
}

// Snapshot returns the snapshot of that name, or ErrNotFound.
func (tx *Tx) Snapshot(name string) (Snapshot, error) {
	if err := CheckSnapshotName(name); err != nil {
		return Snapshot{}, err
	}
	message, err := tx.snapshots.get([]byte(name))
	if err != nil {
		return Snapshot{}, err
	}
	if message == nil {
		return Snapshot{}, fmt.Errorf("snapshot %q %w", name, ErrNotFound)
	}
	s, err := decodeSnapshot(name, message)
	return s, tx.snapshots.bad([]byte(name), err)
}

// Copy writes the database to dst, a new and empty file, as it was before this transaction, and
// describes the copy: its bytes and their sum. The copy shares blocks with the database where the
// file system can do that. It is not durable before dst.Sync.
func (tx *Tx) Copy(dst fsx.File) (bytes int64, sum uint32, err error) {
	if err := tx.writing(); err != nil {
		return 0, 0, err
	}
	src, err := fsx.OS.OpenFile(tx.path, os.O_RDONLY, 0)
	if err != nil {
		return 0, 0, err
	}
	used := tx.commit.Used()
	_, err = fsx.Clone(tx.ctx, dst, src, int64(len(used)))
	if err := errors.Join(err, src.Close()); err != nil {
		return 0, 0, err
	}
	return int64(len(used)), crc32.Checksum(used, castagnoli), nil
}

// PutSnapshot names the state that Copy has written in this transaction. ErrExists when there is a
// snapshot of that name. Its number is the next one unless it has one.
func (tx *Tx) PutSnapshot(s Snapshot) error {
	if err := tx.writing(); err != nil {
		return err
	}

	if s.Seq == 0 {
		s.Seq = tx.meta.Snapshots + 1
	}
	if s.Created.IsZero() {
		s.Created = tx.now
	}

	if err := s.check(); err != nil {
		return err
	}

	switch there, err := tx.snapshots.has([]byte(s.Name)); {
	case err != nil:
		return err
	case there:
		return fmt.Errorf("snapshot %q %w", s.Name, ErrExists)
	}

	tx.meta.Snapshots = max(tx.meta.Snapshots, s.Seq)
	tx.newest = nil
	return errors.Join(tx.putMeta(tx.meta), tx.snapshots.put([]byte(s.Name), encodeSnapshot(&s)))
}

// DropSnapshot removes a snapshot, and queues its file as trash. The files that only it held are
// for the caller to queue.
func (tx *Tx) DropSnapshot(name string) error {
	if err := tx.writing(); err != nil {
		return err
	}
	s, err := tx.Snapshot(name)
	if err != nil {
		return err
	}
	tx.newest = nil
	return errors.Join(tx.snapshots.del([]byte(name)), tx.Queue(s.File()))
}

// Held reports whether the files that a storage has now may be those of a snapshot, too: then their
// bytes must not change, and they must not be removed. It is so if there is a snapshot that is
// newer than the payload's file. Appending to that does no harm: a snapshot knows how long the
// payload was.
func (tx *Tx) Held(s Storage) (bool, error) {
	if tx.newest == nil {
		all, err := tx.Snapshots()
		if err != nil {
			return false, err
		}
		var newest uint64
		if len(all) > 0 {
			newest = all[len(all)-1].Seq
		}
		tx.newest = &newest
	}
	return *tx.newest > s.Born, nil
}

// discard queues files of a storage as trash, unless a snapshot may need them.
func (tx *Tx) discard(s *Storage, files []string) error {
	held, err := tx.Held(*s)
	if held || err != nil {
		return err
	}
	return tx.queueAll(files)
}

// RestoreStorage is PutStorage of a storage with a file that a snapshot names, and that has been
// there since s.Born. A storage that was gone gets greater numbers than any that is gone.
func (tx *Tx) RestoreStorage(s Storage) error { return tx.putStorage(s, true) }
