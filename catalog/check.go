package catalog

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/tstore/tstore/catalog/internal/boltfile"
)

// ProblemKind says what a Problem is about.
type ProblemKind uint8

// The kinds of problems.
const (
	ProblemPages ProblemKind = iota // the pages of the file
	ProblemValue                    // one value cannot be read; Bucket and Key name it
	ProblemNames                    // a name is a value and a group at once
	ProblemRefs                     // storages, their counts and the index disagree with the records; Tx.Recount mends it
)

// String returns "pages", "value", "names" or "refs".
func (k ProblemKind) String() string {
	names := [...]string{"pages", "value", "names", "refs"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("ProblemKind(%d)", uint8(k))
}

// Problem is one finding of Check.
type Problem struct {
	Kind   ProblemKind
	Bucket string // "" for pages
	Key    string // name, id or file; "" for pages
	Detail string
}

// String returns one line of plain text.
func (p Problem) String() string {
	if p.Bucket == "" {
		return fmt.Sprintf("%s: %s", p.Kind, p.Detail)
	}
	return fmt.Sprintf("%s: %s %q: %s", p.Kind, p.Bucket, p.Key, p.Detail)
}

// maxProblems bounds what Check returns.
const maxProblems = 1000

// Check reads the whole catalog, and returns what is wrong with it: at most 1,000 problems. It
// looks at every page as bbolt's own check does (each used once or free, keys in order), decodes
// every value, and compares references, their counts and the reverse index with the records. An
// error means that the check itself could not be done, as when the file is not a catalog at all, or
// a newer tstore has written a value: ErrFuture. Writers wait meanwhile: some seconds for a million
// records.
func (c *Catalog) Check(ctx context.Context) ([]Problem, error) {
	var found []Problem
	err := c.View(ctx, func(tx *Tx) (err error) {
		found, err = tx.check()
		return err
	})
	return found, err
}

// check is Check of what a transaction sees.
func (tx *Tx) check() ([]Problem, error) {
	ck := &check{tx: tx}
	ck.pages(tx.commit)
	for _, step := range []func() error{ck.names, ck.storages, ck.index, ck.trash, ck.patches, ck.snapshots, ck.jobs} {
		if err := step(); err != nil {
			return ck.found, err
		}
	}
	return ck.found, nil
}

// check is a Check at work.
type check struct {
	tx      *Tx
	found   []Problem
	tensors int64 // readable tensor records
	refs    int64 // entries of the index
}

func (ck *check) add(p Problem) {
	if len(ck.found) < maxProblems {
		ck.found = append(ck.found, p)
	}
}

// each calls fn for each pair of a bucket. Errors of fn are problems of that value; errors of the
// tree are problems of its pages, and end the bucket. Only the end of ctx, and an ErrFuture, end
// the check.
func (ck *check) each(b *bucket, fn func(key, message []byte) error) error {
	var fault, newer error
	b.each(nil, func(key, value []byte) bool {
		message, err := unseal(b.name, key, value)
		if err == nil {
			err = fn(key, message)
		}
		if errors.Is(err, ErrFuture) {
			newer = b.bad(key, err)
			return false
		}
		if err != nil {
			ck.add(Problem{ProblemValue, b.name, keyText(b, key), err.Error()})
		}
		return true
	}, func(err error) { fault = err })

	if err := cmp.Or(ck.tx.ctx.Err(), newer); err != nil {
		return err
	}

	if fault != nil {
		ck.add(Problem{Kind: ProblemPages, Detail: fault.Error()})
	}
	return nil
}

// keyText returns a key for people.
func keyText(b *bucket, key []byte) string {
	const idLen = len(ID{})
	switch {
	case b.name == namesBucket:
		return string(bytes.ReplaceAll(key, []byte{separator}, []byte("/")))
	case (b.name == storagesBucket || b.name == patchesBucket || b.name == jobsBucket) && len(key) == idLen:
		return ID(key).String()
	case b.name == refsBucket && len(key) > idLen:
		return ID(key[:idLen]).String() + " " + string(bytes.ReplaceAll(key[idLen:], []byte{separator}, []byte("/")))
	}
	return string(key)
}

// names checks the records, and that each tensor is in the index.
func (ck *check) names() error {
	var last []byte
	return ck.each(ck.tx.names, func(key, message []byte) error {
		if last != nil && bytes.HasPrefix(key, append(last, separator)) {
			ck.add(Problem{ProblemNames, namesBucket, keyText(ck.tx.names, last), "it is a value, and a group that holds " + keyText(ck.tx.names, key)})
		}

		last = append(last[:0], key...)

		name, err := keyName(key)
		if err != nil {
			return err
		}
		r, err := decodeRecord(name, message)
		if err != nil || r.Kind != KindTensor {
			return err
		}

		ck.tensors++
		return ck.inIndex(&r)
	})
}

// inIndex checks that the index and the storages know a tensor.
func (ck *check) inIndex(r *Record) error {
	if known, err := ck.tx.storages.has(r.Storage[:]); err != nil {
		return err
	} else if !known {
		ck.add(Problem{ProblemRefs, namesBucket, r.Name, fmt.Sprintf("its storage %s does not exist", r.Storage)})
	}
	known, err := ck.tx.refs.has(refKey(r.Storage, r.Name))
	if err == nil && !known {
		ck.add(Problem{ProblemRefs, namesBucket, r.Name, fmt.Sprintf("the index of storage %s does not know it", r.Storage)})
	}
	return err
}

// storages checks the storages, and their counts against the index.
func (ck *check) storages() error {
	return ck.each(ck.tx.storages, func(key, message []byte) error {
		id, err := idOf(key)
		if err != nil {
			return err
		}

		s, err := decodeStorage(id, message)
		if err != nil {
			return err
		}

		var refs int64
		ck.tx.refs.each(id[:], func(_, _ []byte) bool { refs++; return true }, func(failed error) { err = failed })

		switch {
		case err != nil:
			return err
		case refs != s.Refs:
			ck.add(Problem{ProblemRefs, storagesBucket, id.String(), fmt.Sprintf("it counts %d references, the index has %d", s.Refs, refs)})
		case refs == 0:
			ck.add(Problem{ProblemRefs, storagesBucket, id.String(), "nothing refers to it"})
		}

		return ck.notTrash(&s)
	})
}

// notTrash checks that no file of a storage is about to be removed.
func (ck *check) notTrash(s *Storage) error {
	for _, file := range s.OwnFiles() {
		queued, err := ck.tx.trash.has([]byte(file))
		if err != nil {
			return err
		}
		if queued {
			ck.add(Problem{ProblemRefs, trashBucket, file, "it is queued for removal, but storage " + s.ID.String() + " uses it"})
		}
	}
	return nil
}

// index checks the entries of the index. Each tensor has been found in it, so equal numbers mean
// that it is right.
func (ck *check) index() error {
	err := ck.each(ck.tx.refs, func(key, _ []byte) error {
		ck.refs++
		if len(key) <= len(ID{}) {
			return fmt.Errorf("key of %d bytes", len(key))
		}
		_, err := keyName(key[len(ID{}):])
		return err
	})

	if err != nil || ck.refs == ck.tensors {
		return err
	}

	// The numbers differ: some entries have no record.
	return ck.each(ck.tx.refs, func(key, _ []byte) error {
		if stale, err := ck.tx.isStale(key); err == nil && stale { // an error has been reported with the record
			ck.add(Problem{ProblemRefs, refsBucket, keyText(ck.tx.refs, key), "no record stands behind it"})
		}
		return nil
	})
}

func (ck *check) trash() error {
	return ck.each(ck.tx.trash, func(key, message []byte) error {
		_, err := decodeTrashed(string(key), message)
		return err
	})
}

func (ck *check) patches() error {
	return ck.each(ck.tx.patches, func(key, message []byte) error {
		if _, err := decodePatch(message); err != nil {
			return err
		}
		known, err := ck.tx.storages.has(key)
		if err == nil && !known {
			err = errors.New("there is no such storage")
		}
		return err
	})
}

func (ck *check) snapshots() error {
	names := map[uint64]string{}
	return ck.each(ck.tx.snapshots, func(key, message []byte) error {
		s, err := decodeSnapshot(string(key), message)
		switch {
		case err != nil:
			return err
		case s.Seq > ck.tx.meta.Snapshots:
			return fmt.Errorf("its number is %d, but only %d snapshots were made", s.Seq, ck.tx.meta.Snapshots)
		case names[s.Seq] != "":
			return fmt.Errorf("its number %d is that of %q, too", s.Seq, names[s.Seq])
		}
		names[s.Seq] = s.Name
		return nil
	})
}

func (ck *check) jobs() error {
	return ck.each(ck.tx.jobs, func(key, message []byte) error {
		_, err := jobOf(key, message)
		return err
	})
}

// pages checks the pages of the file.
func (ck *check) pages(c *boltfile.Commit) {
	required := func(bucket string) bool { return !optionalBuckets[bucket] }
	c.Check(allBuckets, required, func(detail string) {
		ck.add(Problem{Kind: ProblemPages, Detail: detail})
	})
}
