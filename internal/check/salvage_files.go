package check

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tstore/tstore/catalog"
	"github.com/tstore/tstore/internal/store"
)

// salvaged is one storage file with the tensors in it.
type salvaged struct {
	storage catalog.Storage
	records []catalog.Record
	payload int64 // bytes behind the header that the file has
	fault   error // why it can't be taken
	// modified is the time of the last change, as far as the header tells.
	modified time.Time
	// told is set if the records are those of a snapshot.
	told bool
	// changes is the greatest count of changes in a header or a snapshot, if counted is set. held
	// is set if a snapshot has the file.
	changes       uint64
	counted, held bool
}

// compare takes over what a whole snapshot knows of a file: its count of changes, and its records
// if they tell more than the header does.
func (s *salvaged) compare(c *catalog.Tx) error {
	then, err := c.Storage(s.storage.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && then.File() != s.storage.File() {
		return nil
	}
	if err != nil {
		return err
	}

	// Keep what the header tells if it is newer than the snapshot, or tells of as many rows, or if
	// the file is too short for the rows of the snapshot.
	later := !s.counted || then.Changes >= s.changes
	s.held, s.counted, s.changes = true, true, max(s.changes, then.Changes)
	if then.PayloadBytes > s.payload || s.fault == nil && (!later || then.PayloadBytes <= s.storage.PayloadBytes) {
		return nil
	}

	records, err := recordsOf(c, then.ID)
	if err != nil || len(records) == 0 {
		return err
	}

	st := &s.storage
	st.PayloadBytes, st.Created = then.PayloadBytes, then.Created
	s.records, s.fault, s.told = records, nil, true
	return nil
}

// recordsOf returns the tensors of a catalog that share a storage.
func recordsOf(c *catalog.Tx, id catalog.ID) (records []catalog.Record, err error) {
	names, err := c.Sharers(id, 0)
	for _, name := range names {
		rec, err := c.Get(name)
		if err != nil {
			return nil, err
		}
		records = append(records, rec)
	}
	return records, err
}

// choose finds the file of each storage that was in use last, and notes the numbers that only the
// catalog knew.
func (sv *salvage) choose() {
	for _, files := range sv.files {
		slices.SortFunc(files, inUse)
		best := files[0]

		for _, s := range files {
			sv.changes, sv.gen = max(sv.changes, s.changes), max(sv.gen, s.storage.Gen)
			if s.fault != nil {
				sv.report.Skipped[s.storage.File()] = s.fault.Error()
			}
		}

		if best.fault != nil {
			continue
		}
		// New rows must not overwrite rows that a snapshot may have.
		best.storage.Written = best.payload
		sv.found = append(sv.found, best)
		if doubt := best.doubt(files[1:]); doubt != "" {
			sv.report.Doubts[best.storage.File()] = doubt
		}
	}

	// The newest first: it gets the name if several claim one.
	slices.SortFunc(sv.found, func(a, b *salvaged) int {
		return cmp.Or(b.modified.Compare(a.modified), slices.Compare(a.storage.ID[:], b.storage.ID[:]))
	})

	// Counts and generations go beyond all that were seen: a number must never stand for two
	// states.
	for _, s := range sv.found {
		if sv.changes > 0 {
			s.storage.Changes = sv.changes + 1
		}
		if s.storage.Next() <= sv.gen {
			s.storage.NextGen = sv.gen + 1
		}
	}
}

// inUse sorts the files of a storage: first those that can be read, and of them the one that was in
// use last. A file without a count that no snapshot has is there because it is in use, or was a
// moment ago. Otherwise the greatest count of changes tells, since it grows when a file is
// restored.
func inUse(a, b *salvaged) int {
	return cmp.Or(
		order(a.fault == nil, b.fault == nil),
		order(!a.counted && !a.held, !b.counted && !b.held),
		cmp.Compare(b.changes, a.changes),
		cmp.Compare(b.storage.Gen, a.storage.Gen))
}

// order puts true first.
func order(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// doubt returns what is not known of a chosen file, or "" if nothing is.
func (s *salvaged) doubt(others []*salvaged) string {
	var doubts []error
	for _, o := range others {
		switch {
		case o.fault != nil:
			doubts = append(doubts, fmt.Errorf("%s, which can't be read, may have been in use instead", o.storage.File()))
		case !o.counted || !s.counted:
			doubts = append(doubts, fmt.Errorf("%s may have been in use instead: move it away before gc removes it, if it is needed", o.storage.File()))
		}
	}

	if s.told {
		doubts = append(doubts, errors.New("its header does not tell what is in it, or of fewer rows: it is described as a snapshot knew it"))
	}

	if more := s.payload - s.storage.PayloadBytes; more > 0 {
		doubts = append(doubts, fmt.Errorf("%d bytes lie behind the rows that are told of: rows from before a snapshot was restored, or of an append that was not finished, or whose header was not written", more))
	}

	if err := errors.Join(doubts...); err != nil {
		return err.Error()
	}
	return ""
}

// numbers takes over the numbers of a snapshot that must not be used again.
func (sv *salvage) numbers(c *catalog.Tx) error {
	changes, gen, err := c.Highest()
	sv.changes, sv.gen = max(sv.changes, changes), max(sv.gen, gen)
	return err
}

// compare takes over what a snapshot knows of the files that were found.
func (sv *salvage) compare(c *catalog.Tx) error {
	for files := range maps.Values(sv.files) {
		for _, s := range files {
			if err := s.compare(c); err != nil {
				return err
			}
		}
	}
	return sv.numbers(c)
}
